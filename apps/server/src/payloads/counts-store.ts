import type { Tx } from '../ports/database/lease.ts'

/** The keys of a payload's counters. */
export interface Counted {
  client_id: number
  service: number
  type: number
  group_id: number
  device_id: number
  payload_time: number
}

/**
 * Adds to the totals per day and month, per group and per client, in key order so that batches cannot
 * deadlock. `n` is 1 for new payloads and -1 for removed ones.
 */
export async function countPayloads(tx: Tx, rows: readonly Counted[], n: 1 | -1 = 1): Promise<void> {
  if (rows.length === 0) return
  const items = JSON.stringify(
    rows.map(({ client_id, service, type, group_id, device_id, payload_time }) => ({
      client_id,
      service,
      type,
      group_id,
      device_id,
      payload_time,
      n,
    })),
  )
  await tx.query(COUNT_BY_GROUP, [items], 'announce_counts')
  await tx.query(COUNT_ALL, [items], 'announce_totals')
}

/** A reassigned payload with its counter keys. */
export type MovedPayload = Omit<Counted, 'group_id' | 'device_id'> & { from_group: number; to_group: number }

/** Moves payloads from the counts of one group to another, in the order of `countPayloads`. */
export async function countMoved(tx: Tx, rows: readonly MovedPayload[]): Promise<void> {
  if (rows.length === 0) return
  const items = rows.flatMap(({ from_group, to_group, ...row }) => [
    { ...row, group_id: from_group, n: -1 },
    { ...row, group_id: to_group, n: 1 },
  ])
  await tx.query(COUNT_BY_GROUP, [JSON.stringify(items)], 'announce_counts')
}

/** Rows that share one total of a client. */
const SLOTS = 16

const BUCKETED = `
  with item as (
    select * from jsonb_to_recordset($1::jsonb)
      as x(client_id int, service smallint, type smallint, group_id int, device_id int, payload_time bigint, n int)
  ), bucketed as (
    select item.*, 'd'::"char" as grain, payload_time - payload_time % 86400 as bucket from item
    union all
    select item.*, 'm'::"char",
      extract(epoch from date_trunc('month', to_timestamp(payload_time) at time zone 'UTC') at time zone 'UTC')::bigint from item
  )`

const COUNT_BY_GROUP = `${BUCKETED}
  insert into payload_counts as c (client_id, grain, bucket, service, type, group_id, count)
  select client_id, grain, bucket, service, type, group_id, sum(n) from bucketed
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 4, 6, 5, 3
  on conflict (client_id, grain, service, group_id, type, bucket) do update set count = c.count + excluded.count`

const COUNT_ALL = `${BUCKETED}
  insert into payload_totals as c (client_id, grain, bucket, service, type, slot, count)
  select client_id, grain, bucket, service, type, device_id % ${SLOTS}, sum(n) from bucketed
  group by 1, 2, 3, 4, 5, 6 order by 1, 2, 4, 3, 5, 6
  on conflict (client_id, grain, service, bucket, type, slot) do update set count = c.count + excluded.count`
