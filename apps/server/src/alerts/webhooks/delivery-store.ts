import type { AlertDelivery, DeliveryState } from '@custodia/contract'
import type { Database } from '../../ports/database/pool.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

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
const valuesOf = (q: Queryable, filter: DeliveryFilter) => [
  q.client_id,
  filter.webhook_reference,
  filter.states ?? null,
  filter.delivery_reference ?? null,
]

/** Deliveries made before one, newest first. */
export async function listDeliveries(
  q: Queryable,
  filter: DeliveryFilter,
  before: number | undefined,
  limit: number,
): Promise<ListedDelivery[]> {
  const { rows } = await q.query<ListedDelivery>(
    `select ${COLUMNS} from alert_deliveries where ${FILTER} and ($5::bigint is null or delivery_id < $5) order by delivery_id desc limit $6`,
    [...valuesOf(q, filter), before ?? null, limit],
    'deliveries_list',
  )
  return rows
}

/** How many deliveries pass the filter. */
export async function countDeliveries(q: Queryable, filter: DeliveryFilter): Promise<number> {
  const { rows } = await q.query<{ total: number }>(
    `select count(*)::int as total from alert_deliveries where ${FILTER}`,
    valuesOf(q, filter),
    'deliveries_count',
  )
  return rows[0]?.total ?? 0
}

/** Queues a test; its reference. Undefined where there is no such webhook. */
export async function queueTest(tx: Tx, webhook_reference: string, now: number): Promise<string | undefined> {
  const { rows } = await tx.query<{ delivery_reference: string }>(
    `insert into alert_deliveries (client_id, webhook_reference, alert_type, alert_scope, alert_severity, occurred_at, next_at)
     select client_id, webhook_reference, 'Notification', alert_scopes[1], min_severity, $3, $3 from alert_webhooks
     where client_id = $1 and webhook_reference = $2 for key share returning delivery_reference`,
    [tx.client_id, webhook_reference, now],
    'delivery_test',
  )
  return rows[0]?.delivery_reference
}

/** Has what was given up tried again from the beginning; false where it is not given up. */
export async function reviveDelivery(
  tx: Tx,
  { webhook_reference, delivery_reference }: { webhook_reference: string; delivery_reference: string },
  now: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update alert_deliveries set delivery_state = 'waiting', attempts = 0, next_at = $4
     where client_id = $1 and webhook_reference = $2 and delivery_reference = $3 and delivery_state = 'dead'`,
    [tx.client_id, webhook_reference, delivery_reference, now],
    'delivery_revive',
  )
  return rowCount > 0
}

/** Clients that have deliveries which are due. */
export async function clientsWithDue(
  db: Database,
  now: number,
): Promise<{ client_id: number; client: string }[]> {
  const { rows } = await db.acrossClients((q) =>
    q.query<{ client_id: number; client: string }>(
      `select client_id, client from clients c where exists (
         select from alert_deliveries d where d.client_id = c.client_id and d.delivery_state = 'waiting' and d.next_at <= $1)`,
      [now],
    ),
  )
  return rows
}

/** Webhooks of the tenant with deliveries that are due, where they are, and their wrapped secrets. */
export interface DueWebhook {
  webhook_reference: string
  url: string
  wrapped_key: Buffer
}
/** Webhooks that are switched off keep what waits for them. */
export async function dueWebhooks(q: Queryable, now: number): Promise<DueWebhook[]> {
  const { rows } = await q.query<DueWebhook>(
    `select webhook_reference, url, wrapped_key from alert_webhooks w where client_id = $1 and is_active and exists (
       select from alert_deliveries d where d.client_id = w.client_id and d.webhook_reference = w.webhook_reference
         and d.delivery_state = 'waiting' and d.next_at <= $2)`,
    [q.client_id, now],
    'webhooks_due',
  )
  return rows
}

/** A delivery that this worker tries now. */
export interface ClaimedDelivery extends Omit<AlertDelivery, 'delivery_state' | 'next_at'> {
  delivery_id: number
}

/**
 * Takes deliveries that are due, the oldest first. Nobody else takes them for `lease` seconds; whoever dies meanwhile leaves them to be
 * tried again, under the same id.
 */
export async function claimDeliveries(
  tx: Tx,
  webhook_reference: string,
  { now, lease, limit }: { now: number; lease: number; limit: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await tx.query<ClaimedDelivery>(
    // An array, so that the choice is made once: joined, the planner may ask for it again for each row.
    `update alert_deliveries set next_at = $3::bigint + $4, attempts = attempts + 1, last_attempt_at = $3
     where client_id = $1 and delivery_id = any(array(
       select delivery_id from alert_deliveries where client_id = $1 and webhook_reference = $2 and delivery_state = 'waiting' and next_at <= $3
       order by delivery_id limit $5 for update skip locked))
     returning delivery_id, delivery_reference, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, attempts, last_attempt_at, last_error`,
    [tx.client_id, webhook_reference, now, lease, limit],
    'deliveries_claim',
  )
  return rows
}

/** What became of an attempt. */
export interface AttemptOutcome {
  delivery_id: number
  /** Of the attempt: one that was taken over meanwhile says no more. */
  attempts: number
  delivery_state: DeliveryState
  next_at: number
  last_error: string | null
}

/** Writes down what became of attempts. */
export async function settleDeliveries(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  await tx.query(
    `update alert_deliveries d set delivery_state = o.delivery_state, next_at = o.next_at, last_error = o.last_error
     from jsonb_to_recordset($2::jsonb) o (delivery_id bigint, attempts int, delivery_state text, next_at bigint, last_error text)
     where d.client_id = $1 and d.delivery_id = o.delivery_id and d.attempts = o.attempts and d.delivery_state = 'waiting'`,
    [tx.client_id, JSON.stringify(outcomes)],
    'deliveries_settle',
  )
}

/** Forgets deliveries that were over before a second. */
export async function forgetDeliveries(tx: Tx, before: number): Promise<void> {
  await tx.query(
    `delete from alert_deliveries where client_id = $1 and delivery_state <> 'waiting' and last_attempt_at < $2`,
    [tx.client_id, before],
    'deliveries_forget',
  )
}
