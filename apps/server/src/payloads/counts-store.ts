import type { Tx } from '../ports/database/lease.ts'

/** The keys of a payload's counters. */
export interface Counted {
  client_id: number
  service: number
  type: number
  group_id: number
  payload_time: number
}

/** Days of a row of `payload_counts`. */
export const COUNTED_DAYS = 31

/**
 * SQL for rows of `payload_counts` from rows of payloads, each counted `n` times: per type and group, and for all types
 * and all groups together.
 */
export const countsSql = (payloads: string): string => `
  select client_id, service, coalesce(type, 0::smallint) as type, coalesce(group_id, 0) as group_id, month, sum(n)::int as total,
    array[${Array.from({ length: COUNTED_DAYS }, (_, i) => `coalesce(sum(n) filter (where day = ${i + 1}), 0)::int`).join(', ')}] as days
  from (
    select client_id, service, type, group_id, n, extract(day from at)::int as day,
      extract(epoch from date_trunc('month', at) at time zone 'UTC')::bigint as month
    from (select x.*, to_timestamp(payload_time) at time zone 'UTC' as at from (${payloads}) x) dated
  ) placed
  group by client_id, service, month, grouping sets ((type, group_id), (type), (group_id), ())`

/** Adds the payloads in `$1` (JSON of `Counted` with `n`) in the order of the key, so that batches cannot deadlock. */
export const COUNT_PAYLOADS = `
  insert into payload_counts as c (client_id, service, type, group_id, month, total, days)
  select * from (${countsSql(`select * from jsonb_to_recordset($1::jsonb)
    as x(client_id int, service smallint, type smallint, group_id int, payload_time bigint, n int)`)}) added
  where days <> array_fill(0, array[${COUNTED_DAYS}]) order by 1, 2, 3, 4, 5
  on conflict (client_id, service, type, group_id, month) do update set total = c.total + excluded.total,
    days = array(select a + b from unnest(c.days, excluded.days) with ordinality x (a, b, i) order by i)`

/** Counts payloads. `n` is 1 for new payloads and -1 for removed ones. */
export async function countPayloads(tx: Tx, rows: readonly Counted[], n: 1 | -1 = 1): Promise<void> {
  if (rows.length === 0) return
  const items = rows.map(({ client_id, service, type, group_id, payload_time }) => ({
    client_id,
    service,
    type,
    group_id,
    payload_time,
    n,
  }))
  await tx.query(COUNT_PAYLOADS, [JSON.stringify(items)], 'payload_counts')
}

/** A reassigned payload with its counter keys. */
export type MovedPayload = Omit<Counted, 'group_id'> & { from_group: number; to_group: number }

/** Moves payloads from the counts of one group to another. */
export async function countMoved(tx: Tx, rows: readonly MovedPayload[]): Promise<void> {
  if (rows.length === 0) return
  const items = rows.flatMap(({ from_group, to_group, ...row }) => [
    { ...row, group_id: from_group, n: -1 },
    { ...row, group_id: to_group, n: 1 },
  ])
  await tx.query(COUNT_PAYLOADS, [JSON.stringify(items)], 'payload_counts')
}
