import type { LastPosition } from '@custodia/contract'
import { IS_SHOWN_NUMBER } from '../../device-records/names-store.ts'
import type { Bind } from '../../ports/database/binder.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/time-ordered.ts'
import { DEVICE_STATE } from '../identity-store.ts'
import { GPS, indexed, JOINS, type NewReport } from './store.ts'

/** Last position of each device in each of its groups, with what the device is now. */
export const LAST_POSITIONS: TimeOrdered = {
  ...GPS.list,
  table: 'gps_latest',
  columns: `${GPS.list.columns.replaceAll(/r\.(received_at|gps_reference|key_id|sealed)/g, 'p.$1')},
    case when d.deleted_at is null then d.group_id end as device_group_id, ${DEVICE_STATE} as device_state, d.silence,
    array(select n.phone_number from device_numbers n where n.client_id = d.client_id and n.device_id = d.device_id
      and n.to_at is null and ${IS_SHOWN_NUMBER} order by n.is_contested, n.slot_index, n.claim_id) as phone_numbers`,
  joins: `join gps_points p on p.client_id = r.client_id and p.timestamp = r.timestamp and p.row_id = r.row_id ${JOINS}`,
}

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

/** The last position of a device with what the device is now. */
export type LastRow = SealedRow &
  Required<Pick<LastPosition, 'device_state' | 'silence' | 'phone_numbers'>> & {
    /** Null: the device is deleted. */
    device_group_id: number | null
  }

export interface StoredKey {
  key_id: number
  device_reference: string
  /** Days since 1970-01-01, UTC. */
  day: number
  wrapped_key: Buffer
}

const KEYS = `select k.key_id, d.device_reference, k.day, k.wrapped_key from gps_keys k join devices d using (client_id, device_id)
  where k.client_id = $1 and k.wrapped_key is not null`

/** Existing sealing keys of a device for these days. */
export async function findDayKeys(
  q: Queryable,
  device_id: number,
  days: readonly number[],
): Promise<StoredKey[]> {
  const values = [q.client_id, device_id, days]
  return (await q.query<StoredKey>(`${KEYS} and k.device_id = $2 and k.day = any($3)`, values)).rows
}

/** Keys by id, without deleted ones. */
export const findKeys = async (q: Queryable, key_ids: readonly number[]): Promise<StoredKey[]> =>
  await q.rows<StoredKey>(`${KEYS} and k.key_id = any($2)`, [q.client_id, key_ids])

/** Stores new keys of a device; an existing key of a day stays. */
export async function insertDayKeys(
  tx: Tx,
  device_id: number,
  made: readonly { day: number; wrapped_key: Buffer }[],
  now: number,
): Promise<void> {
  await tx.query(
    `insert into gps_keys (client_id, device_id, day, wrapped_key, created_at)
     select $1, $2, day, wrapped_key, $5 from unnest($3::int[], $4::bytea[]) as made (day, wrapped_key) order by day on conflict do nothing`,
    [tx.client_id, device_id, made.map(({ day }) => day), made.map((each) => each.wrapped_key), now],
  )
}

/** Share-locks the keys that still exist until the transaction ends. */
export async function holdKeys(tx: Tx, key_ids: readonly number[]): Promise<Set<number>> {
  return new Set(
    await tx.column<number>(
      'select key_id from gps_keys where client_id = $1 and key_id = any($2) and wrapped_key is not null order by key_id for share',
      [tx.client_id, key_ids],
    ),
  )
}

/** Locks keys: no transaction seals under them until this one ends. */
export async function lockKeys(tx: Tx, key_ids: readonly number[]): Promise<void> {
  await tx.query(
    'select from gps_keys where client_id = $1 and key_id = any($2) order by key_id for update',
    [tx.client_id, key_ids],
  )
}

/** Deletes those locked keys that seal no position any more. */
export async function forgetUnusedKeys(tx: Tx, key_ids: readonly number[]): Promise<void> {
  await tx.query(
    `update gps_keys k set wrapped_key = null where client_id = $1 and key_id = any($2) and wrapped_key is not null and not exists (
       select from gps_points p where p.client_id = k.client_id and p.device_id = k.device_id and p.key_id = k.key_id
         and p.timestamp between k.day * 86400::bigint and k.day * 86400::bigint + 86399)`,
    [tx.client_id, key_ids],
  )
}

/** SQL condition: no visible group has a newer position of the device. */
export const isLastOfDevice =
  (groups: readonly number[] | 'all') =>
  (bind: Bind): string =>
    `not exists (select from gps_latest n where n.client_id = r.client_id and n.device_id = r.device_id
      and (n.timestamp, n.row_id) > (r.timestamp, r.row_id) ${groups === 'all' ? '' : `and n.group_id = any(${bind(groups, 'int[]')})`})`

export interface StoredPoint extends Omit<StoredKey, 'wrapped_key'> {
  device_id: number
  gps_reference: string
  timestamp: number
  sealed: Buffer
  /** Null after the key was deleted. */
  wrapped_key: Buffer | null
}

/** Stored positions with these ids and times. */
export function findPoints(
  tx: Tx,
  names: readonly Pick<NewReport, 'device_id' | 'reference' | 'at'>[],
): Promise<StoredPoint[]> {
  return tx.rows<StoredPoint>(
    `select p.device_id, p.gps_reference, p.timestamp, p.sealed, k.key_id, k.day, k.wrapped_key, d.device_reference
     from unnest($2::int[], $3::text[], $4::bigint[]) as named (device_id, gps_reference, timestamp)
     join gps_points p on p.client_id = $1 and p.device_id = named.device_id and p.gps_reference = named.gps_reference
       and ${indexed('p.gps_reference')} = ${indexed('named.gps_reference')} and p.timestamp = named.timestamp
     join gps_keys k on k.client_id = $1 and k.key_id = p.key_id join devices d on d.client_id = $1 and d.device_id = p.device_id`,
    [
      tx.client_id,
      names.map(({ device_id }) => device_id),
      names.map(({ reference }) => reference),
      names.map(({ at }) => at),
    ],
  )
}
