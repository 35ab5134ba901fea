import type { LegalMatter, MatterPerson } from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { CLOCK, HELD_NAME, type HoldSubject } from '../held-records/store.ts'
import { type HeldCountScope, type HeldSubject, keptBy } from '../legal-holds/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedReason } from '../reasons/reasons.ts'

const COLUMNS = `${clientColumn('m.client_id')}, m.matter_id, m.name, m.opened_at, m.opened_by, m.updated_at, m.updated_by, m.closed_at, m.closed_by, m.closed_confirmed_by,
  (select count(*)::int from legal_matter_people x where x.client_id = m.client_id and x.matter_id = m.matter_id
    and x.removed_at is not distinct from m.closed_at) as people`

export interface MatterFilter {
  is_open?: boolean | undefined
  search?: string | undefined
}

const FILTER = `m.client_id = $1 and ($2::bool is null or (m.closed_at is null) = $2) and ($3::text is null or position(lower($3) in lower(m.name)) > 0)`
const getValues = (q: Queryable, { is_open, search }: MatterFilter) => [
  q.client_id,
  is_open ?? null,
  search ?? null,
]

/** List cursor of matters. */
export type MatterPlace = readonly [opened_at: number, matter_id: string]

/** Matters after a cursor, newest first. */
export function listMatters(
  q: Queryable,
  filter: MatterFilter,
  { after, limit }: { after: MatterPlace | undefined; limit: number },
): Promise<LegalMatter[]> {
  return q.rows<LegalMatter>(
    `select ${COLUMNS} from legal_matters m where ${FILTER} and ($4::bigint is null or (m.opened_at, m.matter_id) < ($4, $5::text))
     order by m.opened_at desc, m.matter_id desc limit $6`,
    [...getValues(q, filter), ...(after ?? [null, null]), limit],
  )
}

export function countMatters(q: Queryable, filter: MatterFilter): Promise<number> {
  return q.count(`select count(*)::int as total from legal_matters m where ${FILTER}`, getValues(q, filter))
}

/** Finds a matter, open or closed. */
export function findMatter(q: Queryable, matter_id: string): Promise<LegalMatter | undefined> {
  return q.row<LegalMatter>(
    `select ${COLUMNS} from legal_matters m where m.client_id = $1 and m.matter_id = $2`,
    [q.client_id, matter_id],
  )
}

/** Sealed reasons of the opening and the closing. */
export async function findMatterReasons(
  q: Queryable,
  matter_id: string,
): Promise<{ opened: SealedReason | null; closed: SealedReason | null }> {
  const { rows } = await q.query<SealedReason & { is_closing: boolean }>(
    `select r.reason_id, r.sealed_reason, r.wrapped_key, r.reason_id = m.closed_reason_id as is_closing from legal_matters m
     join legal_hold_reasons r on r.client_id = m.client_id and r.reason_id in (m.opened_reason_id, m.closed_reason_id)
     where m.client_id = $1 and m.matter_id = $2`,
    [q.client_id, matter_id],
  )
  const of = (is: boolean) => rows.find(({ is_closing }) => (is_closing ?? false) === is) ?? null
  return { opened: of(false), closed: of(true) }
}

/** Opens a matter without people; its reason is already stored. */
export async function insertMatter(
  tx: Tx,
  matter: { matter_id: string; name: string; by: string; reason_id: string | null },
): Promise<void> {
  await tx.query(
    `insert into legal_matters (client_id, matter_id, name, opened_at, opened_by, updated_at, updated_by, opened_reason_id)
     select $1, $2, $3, at, $4, at, $4, $5 from (select ${CLOCK} as at) c`,
    [tx.client_id, matter.matter_id, matter.name, matter.by, matter.reason_id],
  )
}

/** Locks and returns a matter. */
export function lockMatter(
  tx: Tx,
  matter_id: string,
): Promise<{ is_open: boolean; opened_reason_id: string | null; people: number } | undefined> {
  return tx.row<{ is_open: boolean; opened_reason_id: string | null; people: number }>(
    `select m.closed_at is null as is_open, m.opened_reason_id,
       (select count(*)::int from legal_matter_people x where x.client_id = m.client_id and x.matter_id = m.matter_id) as people
     from legal_matters m where m.client_id = $1 and m.matter_id = $2 for update`,
    [tx.client_id, matter_id],
  )
}

/** List cursor of people. */
export type PersonPlace = readonly [target_type: string, target: string, member_id: number]

/** People of a matter by kind and name, with the payloads of each hold counted. */
export function listPeople(
  q: Queryable,
  matter_id: string,
  { after, limit, counted }: { after: PersonPlace | undefined; limit: number; counted: HeldCountScope },
): Promise<(MatterPerson & { member_id: number })[]> {
  return q.rows<MatterPerson & { member_id: number }>(
    `select x.member_id::int, x.target_type, x.target, ${HELD_NAME} as target_name, x.added_at, x.added_by, x.removed_at, x.removed_by, h.is_active, n.*
     from legal_matter_people x join legal_holds h using (client_id, target_type, target) cross join lateral ${keptBy(counted)} n
     where x.client_id = $1 and x.matter_id = $2 and ($3::text is null or (x.target_type, x.target, x.member_id) > ($3, $4::text, $5::bigint))
     order by x.target_type, x.target, x.member_id limit $6`,
    [q.client_id, matter_id, ...(after ?? [null, null, null]), limit],
  )
}

/** Number of current and former people of a matter. */
export function countPeople(q: Queryable, matter_id: string): Promise<number> {
  return q.count(
    'select count(*)::int as total from legal_matter_people where client_id = $1 and matter_id = $2',
    [q.client_id, matter_id],
  )
}

/** Device users in a group, up to a limit. */
export async function findUsersOf(tx: Tx, group: string, limit: number): Promise<HeldSubject[] | undefined> {
  const { rows } = await tx.query<HeldSubject & { is_group: true }>(
    `select 'DeviceUser' as target_type, u.device_user_reference as target, u.device_user_id from groups g
     left join device_users u on u.client_id = g.client_id and u.group_id = g.group_id and u.deleted_at is null
     where g.client_id = $1 and g.group_reference = $2 order by u.device_user_reference limit $3`,
    [tx.client_id, group, limit],
  )
  return rows.length === 0
    ? undefined
    : rows
        .filter(({ target }) => target !== null)
        .map(({ target_type, target, device_user_id }) => ({ target_type, target, device_user_id }))
}

/** Ids of device users, also deleted ones. */
export async function findUserIds(
  tx: Tx,
  references: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ device_user_reference: string; device_user_id: number }>(
    'select device_user_reference, device_user_id from device_users where client_id = $1 and device_user_reference = any($2)',
    [tx.client_id, references],
  )
  return new Map(rows.map((row) => [row.device_user_reference, row.device_user_id]))
}

/** Adds subjects to a matter; both must be locked. */
export async function addPeople(
  tx: Tx,
  matter_id: string,
  subjects: readonly HoldSubject[],
  by: string,
): Promise<void> {
  await tx.query(
    `with c as materialized (select ${CLOCK} as at), added as (
       insert into legal_matter_people (client_id, matter_id, target_type, target, added_at, added_by)
       select $1, $3, target_type, target, at, $4 from c, jsonb_to_recordset($2::jsonb) as x (target_type text, target text))
     update legal_matters set updated_at = at, updated_by = $4 from c where client_id = $1 and matter_id = $3`,
    [tx.client_id, JSON.stringify(subjects), matter_id, by],
  )
}

/** Current people of a matter. */
export function findMembers(
  q: Queryable,
  matter_id: string,
): Promise<(HoldSubject & { member_id: number })[]> {
  return q.rows<HoldSubject & { member_id: number }>(
    'select target_type, target, member_id::int from legal_matter_people where client_id = $1 and matter_id = $2 and removed_at is null',
    [q.client_id, matter_id],
  )
}

/** Removes people from a matter; with a reason it also closes. Resolves after the history is stored. */
export async function removePeople(
  tx: Tx,
  matter_id: string,
  subjects: readonly HoldSubject[],
  {
    by,
    closed_reason_id,
    confirmed_by,
  }: { by: string; closed_reason_id: string | null; confirmed_by: string | null },
): Promise<void> {
  await tx.query(
    `with c as materialized (select ${CLOCK} as at), removed as (
       update legal_matter_people p set removed_at = at, removed_by = $4 from c, jsonb_to_recordset($2::jsonb) as x (target_type text, target text)
       where p.client_id = $1 and p.matter_id = $3 and p.target_type = x.target_type and p.target = x.target and p.removed_at is null)
     update legal_matters set updated_at = at, updated_by = $4,
       closed_at = case when $5::text is not null then at end, closed_by = case when $5::text is not null then $4::text end, closed_reason_id = $5,
       closed_confirmed_by = case when $5::text is not null then $6::text end
     from c where client_id = $1 and matter_id = $3`,
    [tx.client_id, JSON.stringify(subjects), matter_id, by, closed_reason_id, confirmed_by],
  )
}
