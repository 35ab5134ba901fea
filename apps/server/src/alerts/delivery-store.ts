import type { AlertDelivery, DeliveryState } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** Clients that have deliveries which are due. */
export function clientsWithDue(db: Database, now: number): Promise<{ client_id: number; client: string }[]> {
  return db.acrossClients((q) =>
    q.rows<{ client_id: number; client: string }>(
      `select client_id, client from clients c where exists (
         select from alert_deliveries d where d.client_id = c.client_id and d.delivery_state = 'waiting' and d.next_at <= $1)`,
      [now],
    ),
  )
}

/** A delivery that this worker tries now. */
export interface ClaimedDelivery extends Omit<AlertDelivery, 'delivery_state' | 'next_at'> {
  delivery_id: number
}

/** Where deliveries go: a webhook, or the subscription of a person. */
export type Destination = { webhook_reference: string } | { subscription_id: string }

/**
 * Claims due deliveries for `lease` seconds, the oldest first. If the process dies, another one tries them again
 * under the same id.
 */
export function claimDeliveries(
  tx: Tx,
  destination: Destination,
  { now, lease, limit }: { now: number; lease: number; limit: number },
): Promise<ClaimedDelivery[]> {
  const [[column, reference] = []] = Object.entries(destination)
  return tx.rows<ClaimedDelivery>(
    // An array, so that the choice is made once: with a join the planner may repeat it for each row.
    `update alert_deliveries set next_at = $3::bigint + $4, attempts = attempts + 1, last_attempt_at = $3
     where client_id = $1 and delivery_id = any(array(
       select delivery_id from alert_deliveries where client_id = $1 and ${column} = $2 and delivery_state = 'waiting' and next_at <= $3
       order by delivery_id limit $5 for update skip locked))
     returning delivery_id, delivery_reference, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, attempts, last_attempt_at, last_error`,
    [tx.client_id, reference, now, lease, limit],
  )
}

export interface AttemptOutcome {
  delivery_id: number
  /** Number of the attempt: a result is ignored if another worker took the delivery over. */
  attempts: number
  /** Withheld: the person lost access to the alert, or the alert is over. */
  delivery_state: DeliveryState | 'withheld'
  next_at: number
  last_error: string | null
}

/** Writes down what became of attempts; those that were given up by it, and not removed or taken over meanwhile. */
export async function settleDeliveries(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<number[]> {
  const { rows } = await tx.query<{ delivery_id: number; delivery_state: string }>(
    `update alert_deliveries d set delivery_state = o.delivery_state, next_at = o.next_at, last_error = o.last_error
     from jsonb_to_recordset($2::jsonb) o (delivery_id bigint, attempts int, delivery_state text, next_at bigint, last_error text)
     where d.client_id = $1 and d.delivery_id = o.delivery_id and d.attempts = o.attempts and d.delivery_state = 'waiting'
     returning d.delivery_id, d.delivery_state`,
    [tx.client_id, JSON.stringify(outcomes)],
  )
  return rows.flatMap(({ delivery_id, delivery_state }) => (delivery_state === 'dead' ? delivery_id : []))
}

/** Forgets deliveries that were over before a second. */
export async function forgetDeliveries(tx: Tx, before: number): Promise<void> {
  await tx.query(
    `delete from alert_deliveries where client_id = $1 and delivery_state <> 'waiting' and last_attempt_at < $2`,
    [tx.client_id, before],
  )
}
