import {
  alertPhrases,
  type AlertScope,
  type AlertSeverity,
  type AlertTextCode,
  type AlertType,
  type RelatedEntity,
} from '@custodia/contract'
import { newId } from '../http/new-id.ts'
import type { Tx } from '../ports/database/lease.ts'

/** The list of an alert: that of the client's users, or of the provider's staff. */
export type AlertTarget = 'client' | 'admin'

/** What happened (spec section 3: alert event input). `text` is its `error_message` and `alert_subject`, in every language. */
export interface AlertEvent {
  alert_type: AlertType
  /** Each scope and target has a separate alert, cleared and dismissed separately. */
  alert_scopes: readonly AlertScope[]
  /** Absent: the client's users. */
  alert_targets?: readonly AlertTarget[]
  /**
   * Scoped: events of a client, scope and target with the same key share one alert. Transient: each event has its
   * own. Absent: Scoped.
   */
  alert_key_type?: 'Scoped' | 'Transient'
  alert_key: string
  /** The code of its subject and message in the catalogue. */
  text: AlertTextCode
  values?: Readonly<Record<string, string>>
  alert_severity: AlertSeverity
  /** Related entities; links are added when the alert is shown. */
  related_entities?: readonly Pick<RelatedEntity, 'entity_id' | 'entity_type' | 'day' | 'action'>[]
  /** Action of the call in which it arises. */
  api_action?: string
  /** Group that it concerns; absent or null: the account. */
  group_id?: number | null
  /** Epoch seconds from which on it is no longer shown; absent: it stays. */
  expires_after?: number | null
  /** Only sessions of this issuer may clear it; absent: all. The first that is named stays. */
  only_issuer?: string
  /** Epoch seconds. */
  now: number
}

/** What tells an alert from others of its client, and the time of an event. */
export type AlertIdentity = Pick<AlertEvent, 'alert_scopes' | 'alert_targets' | 'alert_key' | 'now'>

/** Occurrences kept per alert; further ones are only counted. */
const OCCURRENCES_KEPT = 100

/** Raises the alert of one scope and target, or adds an occurrence to it. */
export async function writeAlert(
  tx: Tx,
  event: AlertEvent,
  target: AlertTarget,
  scope: AlertScope,
): Promise<void> {
  const { client_id } = tx
  const { alert_key } = event
  const text = { code: event.text, values: event.values ?? {} }
  const { subject = '', message = '' } = alertPhrases(text, 'en-GB') ?? {}
  // Locked against a clear or dismissal between the two statements.
  const known = await tx.query<{ alert_reference: string; alert_state: string }>(KNOWN, [
    client_id,
    scope,
    alert_key,
    target,
  ])
  const [alert] = known.rows
  if (alert?.alert_state === 'Cleared') await tx.query(FORGET_DISMISSALS, [client_id, alert.alert_reference])
  await tx.query(RAISE, [
    client_id,
    newId(),
    scope,
    event.alert_type,
    subject,
    alert_key,
    message,
    event.alert_severity,
    JSON.stringify(event.related_entities ?? []),
    JSON.stringify([{ time: event.now, message, text }]),
    event.now,
    event.group_id ?? null,
    event.expires_after ?? null,
    JSON.stringify(text),
    event.api_action ?? null,
    target,
    event.only_issuer ?? null,
  ])
}

/** Clears the alert of one scope and target without an actor. */
export async function endAlert(
  tx: Tx,
  { alert_key, now }: Pick<AlertEvent, 'alert_key' | 'now'>,
  target: AlertTarget,
  scope: AlertScope,
): Promise<void> {
  await tx.query(
    `update alerts set alert_state = 'Cleared', cleared_reason = null, cleared_at = $5, cleared_by = null
     where client_id = $1 and alert_target = $4 and alert_scope = $2 and alert_key = $3 and alert_state = 'Triggered'`,
    [tx.client_id, scope, alert_key, target, now],
  )
}

const KNOWN = `select alert_reference, alert_state from alerts
  where client_id = $1 and alert_target = $4 and alert_scope = $2 and alert_key = $3 for update`
const FORGET_DISMISSALS = 'delete from alert_dismissals where client_id = $1 and alert_reference = $2'
const SEVERITIES = `array['Low', 'Medium', 'High']`
const RAISE = `
  insert into alerts as a (client_id, alert_reference, alert_scope, alert_type, alert_subject, alert_key, alert_message,
    alert_severity, related_entities, occurrences, first_occurrence, last_occurrence, group_id, expires_after,
    alert_text, api_action, alert_target, only_issuer, triggered_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, $11, $12, $13, $14::jsonb, $15, $16, $17, $11)
  on conflict (client_id, alert_target, alert_scope, alert_key) do update set
    alert_state = 'Triggered',
    triggered_at = case when a.alert_state = 'Cleared' then excluded.triggered_at else a.triggered_at end,
    cleared_reason = null,
    cleared_at = null,
    cleared_by = null,
    alert_subject = excluded.alert_subject,
    alert_message = excluded.alert_message,
    alert_text = excluded.alert_text,
    api_action = excluded.api_action,
    alert_severity = case
      when a.alert_state = 'Cleared' then excluded.alert_severity
      when array_position(${SEVERITIES}, excluded.alert_severity) > array_position(${SEVERITIES}, a.alert_severity)
        then excluded.alert_severity
      else a.alert_severity end,
    related_entities = excluded.related_entities,
    group_id = excluded.group_id,
    expires_after = excluded.expires_after,
    only_issuer = coalesce(a.only_issuer, excluded.only_issuer),
    occurrences = case when jsonb_array_length(a.occurrences) >= ${OCCURRENCES_KEPT}
      then (a.occurrences - 0) || excluded.occurrences else a.occurrences || excluded.occurrences end,
    occurrence_count = a.occurrence_count + 1,
    last_occurrence = greatest(a.last_occurrence, excluded.last_occurrence)`
