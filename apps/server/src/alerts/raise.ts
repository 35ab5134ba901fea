import { ulid } from 'ulid'
import type { Tx } from '../ports/database/lease.ts'

export type AlertType =
  | 'AccountAlert'
  | 'AndroidAlert'
  | 'DeviceAlert'
  | 'DeviceUserAlert'
  | 'LambdaAlert'
  | 'MigrationAlert'
  | 'Notification'
  | 'PayloadAlert'
  | 'PortalUserAlert'
  | 'TransferAlert'
export type AlertSeverity = 'Low' | 'Medium' | 'High'

/** What an alert is about; links are added when it is shown. */
export interface RelatedEntity {
  entity_id: string
  entity_type:
    | 'Device'
    | 'DeviceUser'
    | 'Migration'
    | 'Payload'
    | 'PortalUser'
    | 'SupportAccessRequest'
    | 'Transfer'
  entity_subtype?: string
}

export interface AlertEvent {
  client_id: number
  alert_scope: 'ops' | 'sec'
  alert_type: AlertType
  /** One alert stands for all events of a client and scope with the same key. */
  alert_key: string
  alert_subject: string
  alert_message: string
  alert_severity: AlertSeverity
  related_entities?: readonly RelatedEntity[]
  /** Epoch seconds. */
  now: number
}

/** Occurrences kept per alert; further ones are only counted. */
const OCCURRENCES_KEPT = 100

/**
 * Raises an alert, or adds an occurrence to the one with the same key: the severity becomes the highest of both, and
 * one that was cleared is triggered again (reading-the-spec, "Alert").
 */
export async function raiseAlert(tx: Tx, event: AlertEvent): Promise<void> {
  await tx.query(
    RAISE,
    [
      event.client_id,
      ulid(),
      event.alert_scope,
      event.alert_type,
      event.alert_subject,
      event.alert_key,
      event.alert_message,
      event.alert_severity,
      JSON.stringify(event.related_entities ?? []),
      JSON.stringify([{ time: event.now, message: event.alert_message }]),
      event.now,
    ],
    'alert_raise',
  )
}

const SEVERITIES = `array['Low', 'Medium', 'High']`
const RAISE = `
  insert into alerts as a (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message,
    alert_severity, related_entities, occurrences, first_occurrence, last_occurrence)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, $11)
  on conflict (client_id, alert_scope, alert_key) do update set
    alert_state = 'Triggered',
    alert_subject = excluded.alert_subject,
    alert_message = excluded.alert_message,
    alert_severity = case
      when a.alert_state = 'Cleared' then excluded.alert_severity
      when array_position(${SEVERITIES}, excluded.alert_severity) > array_position(${SEVERITIES}, a.alert_severity)
        then excluded.alert_severity
      else a.alert_severity end,
    related_entities = excluded.related_entities,
    occurrences = case when jsonb_array_length(a.occurrences) >= ${OCCURRENCES_KEPT}
      then (a.occurrences - 0) || excluded.occurrences else a.occurrences || excluded.occurrences end,
    occurrence_count = a.occurrence_count + 1,
    last_occurrence = greatest(a.last_occurrence, excluded.last_occurrence)`
