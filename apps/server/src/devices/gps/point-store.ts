import type { Bind } from '../../ports/database/binder.ts'
import type { Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'
import type { Monthly } from '../../ports/database/partitions.ts'
import type { Holder } from '../../device-records/store.ts'
import type { StoredKey } from './key-store.ts'

export const GPS_TABLE: Monthly = { table: 'gps_points', time: 'timestamp' }

/** A sealed position for lists. */
export interface SealedRow {
  gps_reference: string
  device_reference: string
  device_user_reference: string | null
  group: string
  timestamp: number
  received_at: number
  key_id: number
  /** base64. */
  sealed: string
}

/** Joins of `r` and columns of a position `p`. */
const columns = (p: string) =>
  `${p}.gps_reference, d.device_reference, u.device_user_reference, g.group_reference as "group", r.timestamp, ${p}.received_at, ${p}.key_id,
    encode(${p}.sealed, 'base64') as sealed`
const NAMES = `join devices d on d.client_id = r.client_id and d.device_id = r.device_id
    join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    left join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id`

export const POINT_LIST: TimeOrdered = {
  ...GPS_TABLE,
  id: 'row_id',
  id_type: 'bigint',
  columns: columns('r'),
  joins: NAMES,
}

/** Last position of each device in each of its groups. */
export const LATEST_LIST: TimeOrdered = {
  table: 'gps_latest',
  time: 'timestamp',
  id: 'row_id',
  id_type: 'bigint',
  columns: columns('p'),
  joins: `join gps_points p on p.client_id = r.client_id and p.timestamp = r.timestamp and p.row_id = r.row_id ${NAMES}`,
}

/** SQL condition: no visible group has a newer position of the device. */
export const isLastOfPhone =
  (groups: readonly number[] | 'all') =>
  (bind: Bind): string =>
    `not exists (select from gps_latest n where n.client_id = r.client_id and n.device_id = r.device_id
      and (n.timestamp, n.row_id) > (r.timestamp, r.row_id) ${groups === 'all' ? '' : `and n.group_id = any(${bind(groups, 'int[]')})`})`

/** SQL condition: the user held the device at the time of the position. */
export const heldBy =
  (device_user_reference: string) =>
  (bind: Bind): string =>
    `r.device_user_id = (select u.device_user_id from device_users u
      where u.client_id = r.client_id and u.device_user_reference = ${bind(device_user_reference, 'text')})`

/** A sealed position with its device and time. */
export interface NewPoint {
  device_id: number
  gps_reference: string
  timestamp: number
  holder: Holder
  key_id: number
  sealed: Buffer
  received_at: number
}

/**
 * Stores positions; returns which of them are new, in order. A time after `until` never becomes the last position,
 * because the clock is ahead.
 */
export async function insertPoints(tx: Tx, points: readonly NewPoint[], until: number): Promise<boolean[]> {
  const rows = points.map(({ device_id, gps_reference, timestamp, holder, key_id, sealed, received_at }) => ({
    device_id,
    gps_reference,
    timestamp,
    group_id: holder.group_id,
    device_user_id: holder.device_user_id,
    key_id,
    sealed: sealed.toString('base64'),
    received_at,
  }))
  const { rows: found } = await tx.query<{ is_new: boolean }>(
    INSERT,
    [tx.client_id, JSON.stringify(rows), until],
    'gps_insert',
  )
  return found.map(({ is_new }) => is_new)
}

const KEEP_LATEST = `on conflict (client_id, device_id, group_id) do update
    set device_user_id = excluded.device_user_id, timestamp = excluded.timestamp, row_id = excluded.row_id
    where (excluded.timestamp, excluded.row_id) > (gps_latest.timestamp, gps_latest.row_id)`

const INSERT = `
  with given as materialized (
    select g.* from rows from (jsonb_to_recordset($2::jsonb) as (device_id int, gps_reference text, timestamp bigint, group_id int,
      device_user_id int, key_id bigint, sealed text, received_at bigint))
      with ordinality as g (device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at, place)
  ), stored as (
    insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
    select $1, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, decode(sealed, 'base64'), received_at
    from given order by device_id, gps_reference, timestamp, place
    on conflict do nothing returning device_id, gps_reference, timestamp, group_id, device_user_id, row_id
  ), latest as (
    insert into gps_latest (client_id, device_id, group_id, device_user_id, timestamp, row_id)
    select distinct on (device_id, group_id) $1::int, device_id, group_id, device_user_id, timestamp, row_id from stored
    where timestamp <= $3::bigint order by device_id, group_id, timestamp desc, row_id desc
    ${KEEP_LATEST}
  )
  select s.row_id is not null as is_new from given g left join stored s
    on s.device_id = g.device_id and s.gps_reference = g.gps_reference and s.timestamp = g.timestamp order by g.place`

/** A stored position. */
export interface StoredPoint extends Omit<StoredKey, 'wrapped_key'> {
  device_id: number
  gps_reference: string
  timestamp: number
  sealed: Buffer
  /** Null after the key was deleted. */
  wrapped_key: Buffer | null
}

/** Stored positions with these ids and times. */
export async function findPoints(
  tx: Tx,
  names: readonly Pick<NewPoint, 'device_id' | 'gps_reference' | 'timestamp'>[],
): Promise<StoredPoint[]> {
  const { rows } = await tx.query<StoredPoint>(
    `select p.device_id, p.gps_reference, p.timestamp, p.sealed, k.key_id, k.day, k.wrapped_key, d.device_reference
     from unnest($2::int[], $3::text[], $4::bigint[]) as named (device_id, gps_reference, timestamp)
     join gps_points p on p.client_id = $1 and p.device_id = named.device_id and p.gps_reference = named.gps_reference
       and p.timestamp = named.timestamp
     join gps_keys k on k.client_id = $1 and k.key_id = p.key_id join devices d on d.client_id = $1 and d.device_id = p.device_id`,
    [
      tx.client_id,
      names.map(({ device_id }) => device_id),
      names.map(({ gps_reference }) => gps_reference),
      names.map(({ timestamp }) => timestamp),
    ],
    'gps_find',
  )
  return rows
}

/** Reassigns at most `most` positions from the reserved group by the device's history. Returns the number. */
export async function reassignPoints(
  tx: Tx,
  device_id: number,
  { most, until }: { most: number; until: number },
): Promise<number> {
  const { rowCount } = await tx.query(REFILE, [tx.client_id, device_id, most], 'gps_refile')
  if (rowCount > 0) {
    await tx.query(
      'delete from gps_latest where client_id = $1 and device_id = $2',
      [tx.client_id, device_id],
      'gps_latest_clear',
    )
    await findLatest(tx, device_id, until)
  }
  return rowCount
}

const findLatest = (tx: Tx, device_id: number, until: number) =>
  tx.query(FIND_LATEST, [tx.client_id, device_id, until], 'gps_latest_find')

/** Recomputes the last position of devices from older positions. */
export async function forgetLatest(tx: Tx, device_ids: readonly number[], until: number): Promise<void> {
  const { rows } = await tx.query<{ device_id: number }>(
    `delete from gps_latest l where client_id = $1 and device_id = any($2) and not exists (
       select from gps_points p where p.client_id = l.client_id and p.timestamp = l.timestamp and p.row_id = l.row_id) returning device_id`,
    [tx.client_id, device_ids],
    'gps_latest_forget',
  )
  for (const device_id of new Set(rows.map((row) => row.device_id))) await findLatest(tx, device_id, until)
}

/** Locks in the same order as retention. */
const REFILE = `
  with due as materialized (
    select p.gps_reference, p.timestamp, h.group_id, h.device_user_id from gps_points p cross join lateral (
      select h.group_id, h.device_user_id from device_history h where h.client_id = p.client_id and h.device_id = p.device_id
      order by h.from_at <= p.timestamp desc, abs(h.from_at - p.timestamp) limit 1) h
    where p.client_id = $1 and p.device_id = $2 and h.group_id <> p.group_id
      and p.group_id = (select group_id from groups where client_id = $1 and is_reserved)
    order by p.gps_reference, p.timestamp limit $3 for update of p)
  update gps_points p set group_id = due.group_id, device_user_id = due.device_user_id from due
  where p.client_id = $1 and p.device_id = $2 and p.gps_reference = due.gps_reference and p.timestamp = due.timestamp`

const FIND_LATEST = `
  insert into gps_latest (client_id, device_id, group_id, device_user_id, timestamp, row_id)
  select distinct on (group_id) client_id, device_id, group_id, device_user_id, timestamp, row_id from gps_points
  where client_id = $1 and device_id = $2 and timestamp <= $3 order by group_id, timestamp desc, row_id desc
  ${KEEP_LATEST}`
