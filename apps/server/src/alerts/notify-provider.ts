import type { AlertSeverity, AlertTextCode } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { findProvider } from '../clients/store.ts'
import { raiseAlert } from './raise.ts'

/** A failure in the operation of the installation. */
export interface ServiceEvent {
  /** All events with the same key share one alert until it is cleared. */
  alert_key: string
  text: AlertTextCode
  values?: Readonly<Record<string, string>>
  alert_severity: AlertSeverity
  /** The concerned client; absent: the installation. */
  client_id?: number
}

/**
 * Raises an alert for the provider's staff only, and logs it: a job, a backup or the archive check failed. Throws if
 * the alert cannot be written; does nothing in an installation without provider.
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
      now: now(),
    }),
  )
}
