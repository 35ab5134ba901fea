import type { AlertDelivery, DeliveryState } from '@custodia/contract'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** A delivery as listed, with its place in the list. */
export type ListedDelivery = AlertDelivery & { delivery_id: number }

export interface DeliveryFilter {
  webhook_reference: string
  states?: readonly DeliveryState[] | undefined
  delivery_reference?: string
}

const COLUMNS = `delivery_id, delivery_reference, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, delivery_state, attempts,
  case when delivery_state = 'waiting' then next_at end as next_at, last_attempt_at, last_error`
const FILTER = `client_id = $1 and webhook_reference = $2 and ($3::text[] is null or delivery_state = any($3))
  and ($4::text is null or delivery_reference = $4)`
const getValues = (q: Queryable, filter: DeliveryFilter) => [
  q.client_id,
  filter.webhook_reference,
  filter.states ?? null,
  filter.delivery_reference ?? null,
]

/** Deliveries made before one, newest first. */
export function listDeliveries(
  q: Queryable,
  filter: DeliveryFilter,
  before: number | undefined,
  limit: number,
): Promise<ListedDelivery[]> {
  return q.rows<ListedDelivery>(
    `select ${COLUMNS} from alert_deliveries where ${FILTER} and ($5::bigint is null or delivery_id < $5) order by delivery_id desc limit $6`,
    [...getValues(q, filter), before ?? null, limit],
  )
}

/** How many deliveries pass the filter. */
export function countDeliveries(q: Queryable, filter: DeliveryFilter): Promise<number> {
  return q.count(`select count(*)::int as total from alert_deliveries where ${FILTER}`, getValues(q, filter))
}

/** The number of tests of a webhook since a time. */
export function countTests(q: Queryable, webhook_reference: string, since: number): Promise<number> {
  return q.count(
    `select count(*)::int as count from alert_deliveries
     where client_id = $1 and webhook_reference = $2 and alert_reference is null and occurred_at > $3`,
    [q.client_id, webhook_reference, since],
  )
}

/** Queues a test; its reference. Undefined where there is no such webhook. */
export function queueTest(tx: Tx, webhook_reference: string, now: number): Promise<string | undefined> {
  return tx.value<string>(
    `insert into alert_deliveries (client_id, webhook_reference, alert_type, alert_scope, alert_severity, occurred_at, next_at)
     select client_id, webhook_reference, 'Notification', alert_scopes[1], min_severity, $3, $3 from alert_webhooks
     where client_id = $1 and webhook_reference = $2 for key share returning delivery_reference`,
    [tx.client_id, webhook_reference, now],
  )
}

/** Restarts the attempts of a failed delivery; false if it has not failed. */
export async function reviveDelivery(
  tx: Tx,
  { webhook_reference, delivery_reference }: { webhook_reference: string; delivery_reference: string },
  now: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update alert_deliveries set delivery_state = 'waiting', attempts = 0, next_at = $4
     where client_id = $1 and webhook_reference = $2 and delivery_reference = $3 and delivery_state = 'dead'`,
    [tx.client_id, webhook_reference, delivery_reference, now],
  )
  return rowCount > 0
}

/** Forgets what waits for a webhook whose scopes or least severity no longer include it. Tests stay. */
export async function forgetUnfit(tx: Tx, webhook_reference: string): Promise<void> {
  await tx.query(
    `delete from alert_deliveries d using alert_webhooks w
     where d.client_id = $1 and d.webhook_reference = $2 and d.delivery_state = 'waiting' and d.alert_reference is not null
       and w.client_id = d.client_id and w.webhook_reference = d.webhook_reference
       and (d.alert_scope <> all(w.alert_scopes) or severity_rank(d.alert_severity) < severity_rank(w.min_severity))`,
    [tx.client_id, webhook_reference],
  )
}

/** Where a webhook of the tenant is, and its wrapped secret. */
export interface ActiveWebhook {
  webhook_reference: string
  url: string
  wrapped_key: Buffer
}

/** The webhook if it is active; an inactive one keeps its waiting deliveries. */
export function findActiveWebhook(
  q: Queryable,
  webhook_reference: string,
): Promise<ActiveWebhook | undefined> {
  return q.row<ActiveWebhook>(
    `select webhook_reference, url, wrapped_key from alert_webhooks
     where client_id = $1 and webhook_reference = $2 and is_active`,
    [q.client_id, webhook_reference],
  )
}

/** Active webhooks of the tenant with deliveries that are due. */
export function dueWebhooks(q: Queryable, now: number): Promise<string[]> {
  return q.column<string>(
    `select webhook_reference from alert_webhooks w where client_id = $1 and is_active and exists (
       select from alert_deliveries d where d.client_id = w.client_id and d.webhook_reference = w.webhook_reference
         and d.delivery_state = 'waiting' and d.next_at <= $2)`,
    [q.client_id, now],
  )
}
