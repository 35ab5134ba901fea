import type { PayloadType, Service, TransferRun } from '@custodia/contract'
import type { PayloadReach } from '@custodia/domain'
import { getCodes, SERVICE_CODES, STATE_CODES, typeOfCode } from '../payload-records/codes.ts'
import { lanesSql } from '../payloads/lanes-sql.ts'
import { binder } from '../ports/database/binder.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Payloads collected per transaction. */
const GATHERED = 5000
/** Seconds before the window to check again: a processed payload may become visible late. */
export const LATE = 3600

type Window = Pick<TransferRun, 'transfer_id' | 'transfer_config_reference' | 'report_from' | 'report_to'>
/** Position in a service. */
export interface Place {
  processed_at: number
  payload_id: number
}
/** Number of payloads of a type in a group. */
export interface GroupCount {
  group_id: number
  payload_type: PayloadType
  count: number
}
/** A checked part of a window. */
export interface WindowPart {
  /** Undefined: the end. */
  next: Place | undefined
  /** Payloads of the window that the role does not allow and that were never collected. */
  left_out: GroupCount[]
}
export interface SearchRange {
  service: Service
  types: readonly PayloadType[]
  reach: PayloadReach
  /** Start; payloads before the window are collected but do not count as excluded. */
  from: number
  after: Place | undefined
  /** False: only counts excluded payloads. */
  isKept: boolean
}

/**
 * Collects payloads of a service after a position, processed before the window's end, up to a limit. A payload is
 * collected once per config.
 */
export async function gatherItems(
  tx: Tx,
  run: Window,
  { service, types, reach, from, after, isKept }: SearchRange,
): Promise<WindowPart> {
  const { bind, values } = binder([
    tx.client_id,
    SERVICE_CODES[service],
    after?.processed_at ?? from,
    after?.payload_id ?? 0,
    run.report_to,
    run.transfer_id,
    run.transfer_config_reference,
    getCodes(types),
    run.report_from ?? 0,
    isKept,
  ])
  const within = lanesSql(reach, bind, 'f')
  const last = await tx.row<Place & { count: number; left_out: (GroupCount & { type: number })[] }>(
    `with found as (
       select p.payload_id, p.payload_reference, c.processed_at, p.type, p.state, p.group_id
       from payload_changes c join payloads p using (client_id, payload_id)
       where c.client_id = $1 and c.service = $2 and (c.processed_at, c.payload_id) > ($3, $4) and c.processed_at < $5
       order by c.processed_at, c.payload_id limit ${GATHERED}
     ), due as (
       select f.*, ${within} as is_within from found f where f.type = any($8) and f.state = ${STATE_CODES.Processed}
     ), kept as (
       insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id)
       select $1, $6, payload_reference, $7, payload_id from due where is_within and $10
       order by payload_id on conflict do nothing
     ), beyond as (
       select group_id, type, count(*)::int as count from due d where not is_within and processed_at >= $9 and not exists (
         select from transfer_items i where i.client_id = $1 and i.transfer_config_reference = $7 and i.payload_id = d.payload_id)
       group by group_id, type
     )
     select processed_at, payload_id, (count(*) over ())::int as count, (select coalesce(jsonb_agg(beyond), '[]') from beyond) as left_out
     from found order by processed_at desc, payload_id desc limit 1`,
    values,
  )
  if (!last) return { next: undefined, left_out: [] }
  const { processed_at, payload_id } = last
  return {
    next: last.count === GATHERED ? { processed_at, payload_id } : undefined,
    left_out: last.left_out.map(({ group_id, type, count }) => ({
      group_id,
      payload_type: typeOfCode(type),
      count,
    })),
  }
}

/**
 * Collects payloads restored in the window but processed before it, which were deleted in their own window.
 * Administrators restore few at a time.
 */
export async function gatherRestored(tx: Tx, run: Window, reach: PayloadReach): Promise<void> {
  const { bind, values } = binder([
    tx.client_id,
    run.transfer_id,
    run.transfer_config_reference,
    (run.report_from ?? 0) - LATE,
    run.report_to,
  ])
  await tx.query(
    `insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id)
     select p.client_id, $2, p.payload_reference, $3, p.payload_id from payloads p
     where p.client_id = $1 and p.restored_at >= $4 and p.restored_at < $5 and p.processed_at < $5
       and ${lanesSql(reach, bind, 'p')} and p.state = ${STATE_CODES.Processed}
     order by p.payload_id on conflict do nothing`,
    values,
  )
}

/** Adds the files of a report. */
export async function addReports(tx: Tx, run: Window, names: readonly string[]): Promise<void> {
  await tx.query(
    `insert into transfer_items (client_id, transfer_id, item, transfer_config_reference)
     select $1, $2, name, $3 from unnest($4::text[]) name on conflict do nothing`,
    [tx.client_id, run.transfer_id, run.transfer_config_reference, names],
  )
}

/** Stores that a run is fully collected, and its exclusions. */
export async function noteGathered(
  tx: Tx,
  transfer_id: string,
  left_out: TransferRun['left_out'],
): Promise<void> {
  await tx.query(
    `update transfer_runs r set transfer_state = 'InProgress', left_out = $3::jsonb, payload_count = (select count(*) from transfer_items i
       where i.client_id = $1 and i.transfer_id = $2 and i.payload_id is not null)
     where r.client_id = $1 and r.transfer_id = $2 and r.transfer_state = 'Pending'`,
    [tx.client_id, transfer_id, JSON.stringify(left_out)],
  )
}

export interface ItemPayload {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_time: number
  payload_end_time: number | null
  processed_at: number | null
  device_reference: string
  device_user_reference: string | null
  group_id: number
  group: string
  is_late: boolean
}
export interface WaitingItem {
  item: string
  /** Null: a report. */
  payload: ItemPayload | null
}
type PayloadRow = Omit<ItemPayload, 'payload_type'> & { type: number }

const PAYLOAD = `p.payload_id, p.payload_reference, p.type, coalesce(p.claimed_time, p.payload_time) as payload_time, p.payload_end_time, p.processed_at,
  v.device_reference, u.device_user_reference, p.group_id, g.group_reference as "group", p.is_late`
const JOINED = `join groups g on g.client_id = p.client_id and g.group_id = p.group_id
  join devices v on v.client_id = p.client_id and v.device_id = p.device_id
  left join device_users u on u.client_id = p.client_id and u.device_user_id = p.device_user_id`

const getPayload = ({ type, ...row }: PayloadRow): ItemPayload => ({ ...row, payload_type: typeOfCode(type) })

/** Locks and returns waiting items by name. */
export async function takeItems(tx: Tx, transfer_id: string, limit: number): Promise<WaitingItem[]> {
  const { rows } = await tx.query<{ item: string; payload_id: number | null }>(
    `update transfer_items set transfer_state = 'InProgress' where client_id = $1 and transfer_id = $2 and item in (
       select item from transfer_items where client_id = $1 and transfer_id = $2 and transfer_state in ('Pending', 'InProgress')
       order by item limit $3)
     returning item, payload_id`,
    [tx.client_id, transfer_id, limit],
  )
  const found = await tx.query<PayloadRow>(
    `select ${PAYLOAD} from payloads p ${JOINED} where p.client_id = $1 and p.payload_id = any($2)`,
    [tx.client_id, rows.flatMap(({ payload_id }) => payload_id ?? [])],
  )
  const payloads = new Map(found.rows.map((row) => [row.payload_id, getPayload(row)]))
  return rows
    .toSorted((a, b) => (a.item < b.item ? -1 : 1))
    .map(({ item, payload_id }) => ({ item, payload: payloads.get(payload_id ?? 0) ?? null }))
}

/** Allowed payloads processed in a window, after a position, for a report. */
export async function listWindow(
  q: Queryable,
  { report_from, report_to }: Window,
  reach: PayloadReach,
  after: ItemPayload | undefined,
): Promise<ItemPayload[]> {
  const { bind, values } = binder([
    q.client_id,
    report_from ?? 0,
    report_to,
    after?.processed_at ?? -1,
    after?.payload_id ?? 0,
  ])
  const { rows } = await q.query<PayloadRow>(
    `select ${PAYLOAD} from payload_changes c join payloads p using (client_id, payload_id) ${JOINED}
     where c.client_id = $1 and c.processed_at >= $2 and c.processed_at < $3
       and (c.processed_at, c.payload_id) > ($4, $5) and ${lanesSql(reach, bind, 'p')} and p.state = ${STATE_CODES.Processed}
     order by c.processed_at, c.payload_id limit 1000`,
    values,
  )
  return rows.map(getPayload)
}

/** Result of an attempt. */
export type Outcome = { item: string; at: number; by: string; source_path: string | null } & (
  | { dest_path: string; encrypted: string; decrypted: string }
  | { error_message: string }
)

/** Stores an attempt and the item's location. The first delivery time stays. */
export async function noteAttempt(tx: Tx, transfer_id: string, outcome: Outcome): Promise<void> {
  const { item, at, by, source_path } = outcome
  const done = 'dest_path' in outcome ? outcome : undefined
  const error = 'error_message' in outcome ? outcome.error_message : null
  const state = done ? 'Succeeded' : 'Failed'
  await tx.query(
    `update transfer_items set transfer_state = $4, source_path = coalesce($5, source_path), dest_path = coalesce($6, dest_path), error_message = $7,
       transferred_at = coalesce(transferred_at, $8), encrypted_checksum = coalesce($9, encrypted_checksum),
       decrypted_checksum = coalesce($10, decrypted_checksum)
     where client_id = $1 and transfer_id = $2 and item = $3`,
    [
      tx.client_id,
      transfer_id,
      item,
      state,
      source_path,
      done?.dest_path ?? null,
      error,
      done ? at : null,
      done?.encrypted ?? null,
      done?.decrypted ?? null,
    ],
  )
  await tx.query(
    `insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state, error_message)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tx.client_id, transfer_id, item, at, by, state, error],
  )
}

/** Fails all waiting items for one reason. */
export async function failWaiting(
  tx: Tx,
  transfer_id: string,
  { at, by, error_message }: { at: number; by: string; error_message: string },
): Promise<void> {
  await tx.query(
    `with failed as (
       update transfer_items set transfer_state = 'Failed', error_message = $5
       where client_id = $1 and transfer_id = $2 and transfer_state in ('Pending', 'InProgress') returning item
     )
     insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state, error_message)
     select $1, $2, item, $3, $4, 'Failed', $5 from failed`,
    [tx.client_id, transfer_id, at, by, error_message],
  )
}

/** Ends a run in the state that follows from its items. */
export async function finishRun(
  tx: Tx,
  transfer_id: string,
  { at, error_message }: { at: number; error_message: string | null },
): Promise<{ transfer_state: string; failed: number; succeeded: number }> {
  const run = await tx.row<{ transfer_state: string; failed: number; succeeded: number }>(
    `with counts as (
       select count(*) filter (where transfer_state = 'Failed')::int as failed, count(*) filter (where transfer_state = 'Succeeded')::int as succeeded
       from transfer_items where client_id = $1 and transfer_id = $2
     )
     update transfer_runs set completed_at = $3, error_message = $4, transfer_state = case
       when c.failed = 0 and $4::text is null then 'Succeeded' when c.succeeded = 0 then 'Failed' else 'PartialFail' end
     from counts c where client_id = $1 and transfer_id = $2 returning transfer_state, c.failed, c.succeeded`,
    [tx.client_id, transfer_id, at, error_message],
  )
  if (!run) throw new Error('the run does not exist')
  return run
}

/** Open runs. */
export function openRuns(q: Queryable): Promise<string[]> {
  return q.column<string>(
    'select transfer_id from transfer_runs where client_id = $1 and completed_at is null order by transfer_id',
    [q.client_id],
  )
}
