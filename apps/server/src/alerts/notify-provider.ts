import type { AlertSeverity, AlertTextCode } from '@custodia/contract'
import { findProvider } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { raiseAlert } from './raise.ts'

/** Something that went wrong in running the installation. */
export interface ServiceEvent {
  /** One alert stands for all events with the same key, until it is cleared. */
  alert_key: string
  text: AlertTextCode
  values?: Readonly<Record<string, string>>
  alert_severity: AlertSeverity
  /** Whose data it concerns; absent: the installation. */
  client_id?: number
}

/**
 * Tells the provider's staff, and nobody else, that a part of the service failed: a job, a backup, the check of the archive. The log
 * has it too. Throws when the alert cannot be written; an installation without provider has nobody to tell.
 */
export async function notifyProvider(
  { db, log, now }: Pick<AppContext, 'db' | 'log' | 'now'>,
  { client_id, ...event }: ServiceEvent,
): Promise<void> {
  log.error({ alert: event.text, alert_key: event.alert_key }, 'the service failed in part')
  const concerned = client_id ?? (await findProvider(db))
  if (concerned === undefined) return
  await db.write(concerned, (tx) =>
    raiseAlert(tx, {
      ...event,
      alert_type: 'LambdaAlert',
      alert_scopes: ['ops'],
      alert_targets: ['admin'],
      alert_key_type: 'Scoped',
      now: now(),
    }),
  )
}
