import type { DestructionItemState, DestructionState } from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import { CLOCK } from '../../held-records/store.ts'
import { newId } from '../../http/new-id.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** The last decision on the destruction review. */
export interface StoredReview {
  version: number
  is_required: boolean
  at: number
  by: string
  confirmed_by: string | null
}

/** Whether destructions need a review; undefined without a decision. */
export function findReview(q: Queryable): Promise<StoredReview | undefined> {
  return q.row<StoredReview>(
    'select version, is_required, at, by, confirmed_by from destruction_review_versions where client_id = $1 order by version desc limit 1',
    [q.client_id],
  )
}

/** Stores the decision; the policies must be locked. */
export async function insertReview(
  tx: Tx,
  { is_required, by, confirmed_by }: Pick<StoredReview, 'is_required' | 'by' | 'confirmed_by'>,
): Promise<void> {
  await tx.query(
    `insert into destruction_review_versions (client_id, version, is_required, at, by, confirmed_by)
     select $1, coalesce(max(version), 0) + 1, $2, greatest(${CLOCK}, max(at)), $3, $4 from destruction_review_versions where client_id = $1`,
    [tx.client_id, is_required, by, confirmed_by],
  )
}

export interface StoredList {
  client: string
  destruction_reference: string
  state: DestructionState
  began_at: number
  gathered_at: number | null
  released_at: number | null
  released_by: string | null
  changes: number
  payloads: number
  taken_out: number
  destroyed: number
  kept: number
}

const COUNTS = `count(*)::int as payloads, (count(*) filter (where i.state = 'taken_out'))::int as taken_out,
  (count(*) filter (where i.state = 'destroyed'))::int as destroyed, (count(*) filter (where i.state in ('kept', 'put_back')))::int as kept`
const ITEMS_OF =
  'destruction_list_items i where i.client_id = l.client_id and i.destruction_reference = l.destruction_reference'
const LISTS = `select ${clientColumn('l.client_id')}, l.destruction_reference, l.state, l.began_at, l.gathered_at, l.released_at, l.released_by, l.changes, c.*
  from destruction_lists l cross join lateral (select ${COUNTS} from ${ITEMS_OF}) c where l.client_id = $1`

/** Lists after a cursor, newest first. */
export function findLists(
  q: Queryable,
  state: DestructionState | undefined,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<StoredList[]> {
  return q.rows<StoredList>(
    `${LISTS} and ($2::text is null or l.state = $2) and ($3::text is null or l.destruction_reference < $3)
     order by l.destruction_reference desc limit $4`,
    [q.client_id, state ?? null, after ?? null, limit],
  )
}

export function countLists(q: Queryable, state: DestructionState | undefined): Promise<number> {
  return q.count(
    'select count(*)::int as total from destruction_lists where client_id = $1 and ($2::text is null or state = $2)',
    [q.client_id, state ?? null],
  )
}

export function findList(q: Queryable, destruction_reference: string): Promise<StoredList | undefined> {
  return q.row<StoredList>(`${LISTS} and l.destruction_reference = $2`, [q.client_id, destruction_reference])
}

/** Locks a list until the transaction ends; undefined for an unknown one. */
export async function lockList(tx: Tx, destruction_reference: string): Promise<StoredList | undefined> {
  await tx.query(
    'select from destruction_lists where client_id = $1 and destruction_reference = $2 for update',
    [tx.client_id, destruction_reference],
  )
  return findList(tx, destruction_reference)
}

export interface CountedType {
  type: number
  payloads: number
  taken_out: number
  destroyed: number
}

/** Counts a list by type. */
export async function countTypes(q: Queryable, destruction_reference: string): Promise<CountedType[]> {
  const { rows } = await q.query<CountedType>(
    `select p.type, ${COUNTS} from destruction_list_items i join payloads p using (client_id, payload_id)
     where i.client_id = $1 and i.destruction_reference = $2 group by p.type order by p.type`,
    [q.client_id, destruction_reference],
  )
  return rows.map(({ type, payloads, taken_out, destroyed }) => ({ type, payloads, taken_out, destroyed }))
}

/** Policy versions behind the remaining items, with their authors. */
export function findPoliciesOf(
  q: Queryable,
  destruction_reference: string,
): Promise<{ policy_version: number; by: string; payloads: number }[]> {
  return q.rows<{ policy_version: number; by: string; payloads: number }>(
    `select policy_version, v.by, count(*)::int as payloads from destruction_list_items i join retention_policies v using (client_id, policy_version)
     where i.client_id = $1 and i.destruction_reference = $2 and i.state <> 'taken_out' group by policy_version, v.by order by policy_version`,
    [q.client_id, destruction_reference],
  )
}

export interface StoredItem {
  client: string
  payload_id: number
  payload_reference: string
  type: number
  payload_time: number
  deleted_at: number | null
  policy_version: number
  state: DestructionItemState
  at: number | null
  by: string | null
  reason_id: string | null
  sealed_reason: Buffer | null
  wrapped_key: Buffer | null
}
/** List cursor of items. */
export type ItemPlace = readonly [payload_time: number, payload_id: number]
export interface ItemFilter {
  state?: DestructionItemState | undefined
  /** Database code of the type. */
  type?: number | undefined
}

const ITEM_FILTER = `i.client_id = $1 and i.destruction_reference = $2 and ($3::text is null or i.state = $3) and ($4::smallint is null or p.type = $4)`

/** Items of a list after a position, oldest first. */
export function findItems(
  q: Queryable,
  destruction_reference: string,
  { state, type }: ItemFilter,
  { after, limit }: { after: ItemPlace | undefined; limit: number },
): Promise<StoredItem[]> {
  return q.rows<StoredItem>(
    `select ${clientColumn('i.client_id')}, i.payload_id, p.payload_reference, p.type, p.payload_time, i.policy_version, i.state, i.at, i.by,
       (select max(y.at) from payload_history y where y.client_id = p.client_id and y.payload_id = p.payload_id and y.to_state = ${STATE_CODES.Deleted}) as deleted_at,
       i.reason_id, r.sealed_reason, r.wrapped_key
     from destruction_list_items i join payloads p using (client_id, payload_id)
     left join legal_hold_reasons r on r.client_id = i.client_id and r.reason_id = i.reason_id
     where ${ITEM_FILTER} and ($5::bigint is null or (p.payload_time, p.payload_id) > ($5, $6::bigint))
     order by p.payload_time, p.payload_id limit $7`,
    [
      q.client_id,
      destruction_reference,
      state ?? null,
      type ?? null,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
    ],
  )
}

export function countItems(
  q: Queryable,
  destruction_reference: string,
  { state, type }: ItemFilter,
): Promise<number> {
  return q.count(
    `select count(*)::int as total from destruction_list_items i join payloads p using (client_id, payload_id) where ${ITEM_FILTER}`,
    [q.client_id, destruction_reference, state ?? null, type ?? null],
  )
}

/** States of these references in a locked list. */
export function findItemStates(
  tx: Tx,
  destruction_reference: string,
  payload_references: readonly string[],
): Promise<{ payload_id: number; state: DestructionItemState }[]> {
  return tx.rows<{ payload_id: number; state: DestructionItemState }>(
    `select i.payload_id, i.state from destruction_list_items i join payloads p using (client_id, payload_id)
     where i.client_id = $1 and i.destruction_reference = $2 and p.payload_reference = any($3) order by i.payload_id for update of i`,
    [tx.client_id, destruction_reference, payload_references],
  )
}

/** Sets the state of items. */
export async function moveItems(
  tx: Tx,
  destruction_reference: string,
  payload_ids: readonly number[],
  { state, by, reason_id }: { state: DestructionItemState; by: string; reason_id: string | null },
): Promise<void> {
  await tx.query(
    `update destruction_list_items set state = $4, at = ${CLOCK}, by = $5, reason_id = coalesce($6, reason_id)
     where client_id = $1 and destruction_reference = $2 and payload_id = any($3)`,
    [tx.client_id, destruction_reference, payload_ids, state, by, reason_id],
  )
}

/** Stores that the items of a list changed. */
export async function noteChange(tx: Tx, destruction_reference: string): Promise<void> {
  await tx.query(
    'update destruction_lists set changes = changes + 1 where client_id = $1 and destruction_reference = $2',
    [tx.client_id, destruction_reference],
  )
}

/** Releases a locked list that waits for review. */
export async function releaseList(tx: Tx, destruction_reference: string, by: string): Promise<void> {
  await tx.query(
    `update destruction_lists set state = 'released', released_at = greatest(${CLOCK}, gathered_at), released_by = $3
     where client_id = $1 and destruction_reference = $2`,
    [tx.client_id, destruction_reference, by],
  )
}

/** Which of these payloads a reviewer excluded from a list. */
export async function findTakenOut(
  q: Queryable,
  payload_ids: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set(
    await q.column<number>(
      `select payload_id from destruction_list_items where client_id = $1 and payload_id = any($2) and state = 'taken_out'`,
      [q.client_id, payload_ids],
    ),
  )
}

/** The reason why a payload is due. */
export interface ReviewCandidate {
  payload_id: number
  policy_version: number
}

/** Adds due payloads to the open list unless a list has them. Resolves to that list with its count. */
export async function gatherItems(
  tx: Tx,
  due: readonly ReviewCandidate[],
): Promise<{ destruction_reference: string; payloads: number } | undefined> {
  const { rows: fresh } = await tx.query<ReviewCandidate>(
    `select x.payload_id, x.policy_version from jsonb_to_recordset($2::jsonb) as x (payload_id bigint, policy_version int)
     where not exists (select from destruction_list_items i where i.client_id = $1 and i.payload_id = x.payload_id and i.state in ('listed', 'taken_out'))
     order by x.payload_id`,
    [tx.client_id, JSON.stringify(due)],
  )
  if (fresh.length === 0) return undefined
  await tx.query(
    `insert into destruction_lists (client_id, destruction_reference, began_at) values ($1, $2, ${CLOCK})
     on conflict (client_id) where state = 'gathering' do nothing`,
    [tx.client_id, newId()],
  )
  const reference = await tx.value<string>(
    `select destruction_reference from destruction_lists where client_id = $1 and state = 'gathering' for update`,
    [tx.client_id],
  )
  // Another process closed the list; the next pass adds them.
  if (reference === undefined) return undefined
  await tx.query(
    `insert into destruction_list_items (client_id, destruction_reference, payload_id, policy_version)
     select $1, $2, x.payload_id, x.policy_version from jsonb_to_recordset($3::jsonb) as x (payload_id bigint, policy_version int)
     order by x.payload_id on conflict do nothing`,
    [tx.client_id, reference, JSON.stringify(fresh)],
  )
  return { destruction_reference: reference, payloads: await countItems(tx, reference, {}) }
}

/** Closes the open list; undefined without one, or when a pass still runs and `unless_busy`. */
export function closeGathering(
  tx: Tx,
  { unless_busy }: { unless_busy: boolean },
): Promise<string | undefined> {
  return tx.value<string>(
    `update destruction_lists set state = 'waiting', gathered_at = greatest(${CLOCK}, began_at)
     where client_id = $1 and state = 'gathering' and not ($2 and exists (
       select from retention_positions where client_id = $1 and act = 'destroy' and ended_at is null))
     returning destruction_reference`,
    [tx.client_id, unless_busy],
  )
}

/** Locks the remaining items of the oldest released list. */
export async function takeReleased(
  tx: Tx,
  limit: number,
): Promise<{ destruction_reference: string; released_by: string; payload_ids: number[] } | undefined> {
  const list = await tx.row<{ destruction_reference: string; released_by: string }>(
    `select destruction_reference, released_by from destruction_lists l where client_id = $1 and state = 'released'
       and exists (select from ${ITEMS_OF} and i.state = 'listed')
     order by destruction_reference limit 1 for update skip locked`,
    [tx.client_id],
  )
  if (list === undefined) return undefined
  const { rows } = await tx.query<{ payload_id: number }>(
    `select payload_id from destruction_list_items where client_id = $1 and destruction_reference = $2 and state = 'listed'
     order by payload_id limit $3 for update`,
    [tx.client_id, list.destruction_reference, limit],
  )
  return { ...list, payload_ids: rows.map(({ payload_id }) => payload_id) }
}

/** Ends unreleased lists after the account disabled the review. Resolves to their references. */
export function endOpenLists(tx: Tx, by: string): Promise<string[]> {
  return tx.column<string>(
    `with lapsed as (
       update destruction_lists set state = 'lapsed', gathered_at = coalesce(gathered_at, greatest(${CLOCK}, began_at))
       where client_id = $1 and state in ('gathering', 'waiting') returning destruction_reference
     ), items as (
       update destruction_list_items i set state = 'kept', at = ${CLOCK}, by = $2
       from lapsed l where i.client_id = $1 and i.destruction_reference = l.destruction_reference and i.state = 'listed'
     )
     select destruction_reference from lapsed`,
    [tx.client_id, by],
  )
}
