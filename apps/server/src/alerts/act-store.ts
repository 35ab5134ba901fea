import type { AlertState } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain'
import type { Tx } from '../ports/database/lease.ts'
import { binder } from '../ports/database/binder.ts'
import type { AlertReach } from './reach.ts'

export interface AlertOutcome {
  alert_reference: string
  status: 'Ok' | 'NoMatchingRecord' | 'NotTriggered' | 'NotPermitted'
}

interface Found {
  client_id: number
  alert_reference: string
  alert_state: AlertState
  only_issuer: string | null
}

/**
 * Clears alerts for all users. Cleared alerts do not change, nor do those that only sessions of another issuer may
 * clear.
 * @param issuer of the session that clears; absent: it has none
 */
export async function clearAlerts(
  tx: Tx,
  reach: AlertReach,
  references: readonly string[],
  { cleared_reason, issuer }: { cleared_reason: string; issuer?: string | null | undefined },
): Promise<AlertOutcome[]> {
  const found = await lockAlerts(tx, reach, references)
  const obstacleOf = (alert: Found) =>
    alertObstacle(alert) ??
    (alert.only_issuer !== null && alert.only_issuer !== issuer ? 'NotPermitted' : undefined)
  const triggered = found.filter((alert) => obstacleOf(alert) === undefined)
  await tx.query(
    `update alerts set alert_state = 'Cleared', cleared_reason = $2, cleared_at = $3, cleared_by = $4
     where client_id = any($5) and alert_reference = any($1)`,
    [
      triggered.map(({ alert_reference }) => alert_reference),
      cleared_reason,
      reach.now,
      reach.portal_user,
      [...new Set(triggered.map(({ client_id }) => client_id))],
    ],
  )
  return outcomes(references, found, obstacleOf)
}

/** Dismisses alerts from the caller's list; a second dismissal changes nothing. */
export async function dismissAlerts(
  tx: Tx,
  reach: AlertReach,
  references: readonly string[],
): Promise<AlertOutcome[]> {
  const found = await lockAlerts(tx, reach, references)
  for (const { client_id, alert_reference } of found.filter((alert) => alertObstacle(alert) === undefined))
    await tx.query(
      `insert into alert_dismissals (client_id, alert_reference, portal_user, dismissed_at) values ($1, $2, $3, $4)
       on conflict (client_id, alert_reference, portal_user) do update set dismissed_at = excluded.dismissed_at`,
      [client_id, alert_reference, reach.portal_user, reach.now],
      'alert_dismiss',
    )
  return outcomes(references, found, alertObstacle)
}

/** In order of their references, so that two people who act on the same ones never wait for each other in a circle. */
async function lockAlerts(tx: Tx, reach: AlertReach, references: readonly string[]): Promise<Found[]> {
  const { bind, values } = binder()
  const { rows } = await tx.query<Found>(
    `select a.client_id, a.alert_reference, a.alert_state, a.only_issuer from alerts a
     where ${reach.condition(bind)} and a.alert_reference = any(${bind(references, 'text[]')})
       and (a.expires_after is null or a.expires_after > ${bind(reach.now, 'bigint')})
     order by a.alert_reference for update`,
    values,
  )
  return rows
}

function outcomes(
  references: readonly string[],
  found: readonly Found[],
  obstacleOf: (alert: Found) => Exclude<AlertOutcome['status'], 'Ok'> | undefined,
): AlertOutcome[] {
  const byReference = new Map(found.map((alert) => [alert.alert_reference, alert]))
  return references.map((alert_reference) => {
    const alert = byReference.get(alert_reference)
    return {
      alert_reference,
      status: alert ? (obstacleOf(alert) ?? 'Ok') : 'NoMatchingRecord',
    }
  })
}
