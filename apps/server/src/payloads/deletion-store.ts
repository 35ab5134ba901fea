import { getDeletion, getRestoration, type Status, type FormerStatus } from '@custodia/domain'
import { lockAgainstHolds } from '../held-records/store.ts'
import { STATE_CODES, stateIfAny, stateOfCode } from '../payload-records/codes.ts'
import { STILL_ON_DEVICE } from '../payload-records/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type CounterKeys, countPayloads } from './state-store.ts'

/** The actor of a deletion or restore, and the time (epoch seconds). */
export interface DeletionContext {
  now: number
  by: string
}

/** A payload that was deleted or restored, with its counter keys. */
export interface ChangedPayload extends CounterKeys, FormerStatus {
  payload_id: number
  /** A duplicate message, which the counters leave out. */
  is_copy: boolean
}

/**
 * Moves these payloads to Deleted so that they can be restored; the device sees no difference. Resolves to the deleted
 * ones. Skips payloads on legal hold or released from one recently.
 * @param stillDue called under the lock; returns those that are still due
 */
export async function deletePayloads(
  tx: Tx,
  payload_ids: readonly number[],
  doing: DeletionContext,
  stillDue?: () => Promise<ReadonlySet<number>>,
): Promise<ChangedPayload[]> {
  const holds = await lockAgainstHolds(tx, payload_ids)
  return deleteThem(tx, payload_ids, doing, async () => {
    const [free, due] = [await holds.free(), await stillDue?.()]
    return due ? new Set([...free].filter((id) => due.has(id))) : free
  })
}

/**
 * As `deletePayloads`, ignoring legal holds: for payloads that were destroyed after the backup that this
 * database was restored from.
 */
export const deleteWhateverHolds = (
  tx: Tx,
  payload_ids: readonly number[],
  doing: DeletionContext,
): Promise<ChangedPayload[]> => deleteThem(tx, payload_ids, doing)

async function deleteThem(
  tx: Tx,
  payload_ids: readonly number[],
  doing: DeletionContext,
  getFree?: () => Promise<ReadonlySet<number>>,
): Promise<ChangedPayload[]> {
  const taken = await take(tx, payload_ids, getDeletion, doing, getFree)
  const ids = [taken.map(({ payload_id }) => payload_id)]
  await tx.query(OUT_OF_THREADS, ids)
  await tx.query('delete from payload_opened where payload_id = any($1)', ids)
  await tx.query('delete from payload_marked where payload_id = any($1)', ids)
  await tx.query(OUT_OF_UNCONFIRMED, ids)
  await tx.query('delete from payload_playheads where payload_id = any($1)', ids)
  await tx.query('delete from payload_work where payload_id = any($1)', ids)
  const shown = await showCopies(tx, taken, doing.now)
  await intoLists(
    tx,
    shown.map(({ payload_id }) => payload_id),
  )
  // Last, as everywhere: announcements of the client wait for these counter rows until the commit.
  await countPayloads(tx, taken.filter(isCounted), -1)
  await countPayloads(tx, shown)
  return taken
}

/** Shows duplicates whose first message is deleted: lists would have neither. Resolves to the shown ones. */
async function showCopies(
  tx: Tx,
  taken: readonly ChangedPayload[],
  now: number,
): Promise<(CounterKeys & { payload_id: number })[]> {
  const ids = taken.map(({ payload_id }) => payload_id)
  return tx.rows<CounterKeys & { payload_id: number }>(SHOWN, [tx.client_id, ids, now])
}

/** Adds shown payloads to the rows that lists are read from, but for the counts. */
async function intoLists(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  if (payload_ids.length === 0) return
  await tx.query(INTO_THREADS, [payload_ids])
  await tx.query(INTO_UNCONFIRMED, [payload_ids])
  await tx.query('select rebuild_review($1, $2)', [tx.client_id, payload_ids])
}

/** Restores deleted payloads to their former state. Resolves to the restored ones. */
export async function restorePayloads(
  tx: Tx,
  payload_ids: readonly number[],
  doing: DeletionContext,
): Promise<ChangedPayload[]> {
  const taken = await takeBack(tx, payload_ids, doing)
  await countPayloads(tx, taken.filter(isCounted))
  return taken
}

/** Whether the counters include it while it is not deleted. */
export const isCounted = ({ is_copy }: Pick<ChangedPayload, 'is_copy'>): boolean => !is_copy

/** As `restorePayloads`, without the counts: the caller counts last in its transaction. */
export async function takeBack(
  tx: Tx,
  payload_ids: readonly number[],
  doing: DeletionContext,
): Promise<ChangedPayload[]> {
  const taken = await take(tx, payload_ids, getRestoration, doing)
  const ids = taken.map(({ payload_id }) => payload_id)
  const shown = new Set((await showCopies(tx, taken, doing.now)).map(({ payload_id }) => payload_id))
  await intoLists(tx, ids)
  await tx.query(INTO_WORK, [ids, doing.now])
  return taken.map((each) => (shown.has(each.payload_id) ? { ...each, is_copy: false } : each))
}

/**
 * Locks these payloads and moves those that `decide` selects, with their history; `getFree` filters them first. Every
 * deletion, restore and destruction uses it. Resolves to the moved payloads.
 */
export async function take(
  tx: Tx,
  payload_ids: readonly number[],
  decide: (status: Status) => FormerStatus | undefined,
  { now, by }: DeletionContext,
  /** Called under the lock; returns the payloads that may be moved. */
  getFree?: () => Promise<ReadonlySet<number>>,
): Promise<ChangedPayload[]> {
  const { rows } = await tx.query<LockedPayload>(LOCK, [tx.client_id, payload_ids])
  const free = await getFree?.()
  const taken = rows.flatMap(({ state, state_before_deletion, ...row }) => {
    if (free && !free.has(row.payload_id)) return []
    const stood = decide({
      payload_state: stateOfCode(state),
      state_before_deletion: stateIfAny(state_before_deletion),
    })
    return stood ? [{ ...row, ...stood }] : []
  })
  if (taken.length === 0) return []
  const moves = taken.map((each) => ({
    payload_id: each.payload_id,
    from_state: STATE_CODES[each.from],
    state: STATE_CODES[each.payload_state],
    before: each.state_before_deletion && STATE_CODES[each.state_before_deletion],
  }))
  await tx.query(MOVE, [JSON.stringify(moves), now, by, tx.client_id])
  return taken
}

type LockedPayload = CounterKeys & {
  payload_id: number
  is_copy: boolean
  state: number
  state_before_deletion: number | null
}

// In a fixed order, so that two batches cannot deadlock.
const LOCK = `
  select payload_id, client_id, state, state_before_deletion, service, type, group_id, device_id, payload_time, is_copy from payloads
  where client_id = $1 and payload_id = any($2) order by payload_id for update`

const MOVE = `
  with x as (select * from jsonb_to_recordset($1::jsonb) as x(payload_id bigint, from_state smallint, state smallint, before smallint)
  ), moved as (
    update payloads p set state = x.state, state_before_deletion = x.before, updated_at = $2, updated_by = $3,
      restored_at = case when x.from_state = ${STATE_CODES.Deleted} and x.state <> ${STATE_CODES.Destroyed} then $2 else p.restored_at end
    from x where p.payload_id = x.payload_id
  ), noted as (
    insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
    select $4, payload_id, $2, from_state, state, $3 from x
  )
  update payload_changes c set updated_at = $2 from x where c.payload_id = x.payload_id`

const GONE = `(${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})`

const SHOWN = `
  with link as (
    select payload_id, first_payload_id from payload_copies where client_id = $1 and first_payload_id = any($2)
    union select payload_id, first_payload_id from payload_copies where client_id = $1 and payload_id = any($2)
  ), shown as (
    update payloads p set is_copy = false from link join payloads o on o.client_id = $1 and o.payload_id = link.first_payload_id
    where p.client_id = $1 and p.payload_id = link.payload_id and p.is_copy and p.state not in ${GONE} and o.state in ${GONE}
    returning p.payload_id, p.client_id, p.service, p.type, p.group_id, p.device_id, p.payload_time
  ), noted as (
    update payload_changes c set updated_at = $3 from shown where c.payload_id = shown.payload_id
  )
  select * from shown`

const OUT_OF_THREADS = `
  delete from payload_threads t using payloads p join payload_documents d using (client_id, payload_id)
  where p.payload_id = any($1) and d.thread_id is not null and t.client_id = p.client_id and t.device_id = p.device_id
    and t.thread_id = d.thread_id and t.service = p.service and t.payload_time = p.payload_time and t.payload_id = p.payload_id`

const INTO_THREADS = `
  insert into payload_threads
  select p.client_id, p.device_id, d.thread_id, p.service, p.payload_time, p.payload_id, p.group_id, p.type
  from payload_documents d join payloads p using (client_id, payload_id) where p.payload_id = any($1) and d.thread_id is not null and not p.is_copy
  on conflict do nothing`

/** SQL that takes these payloads out of those without a receipt. */
export const OUT_OF_UNCONFIRMED = `
  delete from payload_unconfirmed u using payloads p where p.payload_id = any($1)
    and u.client_id = p.client_id and u.service = p.service and u.payload_time = p.payload_time and u.payload_id = p.payload_id`

const INTO_UNCONFIRMED = `
  insert into payload_unconfirmed (client_id, service, payload_time, payload_id, group_id, type)
  select client_id, service, payload_time, payload_id, group_id, type from payloads p where payload_id = any($1) and not is_copy
    and not exists (select from payload_receipts r where r.client_id = p.client_id and r.payload_id = p.payload_id)
  on conflict do nothing`

/** The sweep expects missing data again. */
const INTO_WORK = `
  insert into payload_work (client_id, payload_id, since)
  select client_id, payload_id, $2 from payloads p where payload_id = any($1) and ${STILL_ON_DEVICE}
  on conflict do nothing`
