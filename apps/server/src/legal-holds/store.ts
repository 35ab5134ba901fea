import type { LegalHold, PayloadType } from '@custodia/contract'
import { type HoldEvent, HOLD_GRACE_SECONDS } from '@custodia/domain'
import { clientColumn } from '../clients/store.ts'
import { CLOCK, HELD_NAME, HELD_THEN, type HoldSubject } from '../held-records/store.ts'
import { getCodes, STATE_CODES } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedReason } from '../reasons/reasons.ts'

/** What a count of payloads on hold covers. */
export interface HeldCountScope {
  /** Most payloads. */
  most: number
  /** The payload types that the caller sees; undefined: all. */
  types?: readonly PayloadType[] | undefined
}

/** SQL: payloads of hold `h`, up to a limit; those of its device user first, by index. */
const protectedPayloads = (most: number, ofTypes: string) => `
  select p.state from payloads p where p.client_id = h.client_id and p.device_user_id = h.device_user_id${ofTypes}
  union all
  select p.state from (select distinct device_id from device_history d where d.client_id = h.client_id and d.device_user_id = h.device_user_id) v
  join payloads p on p.client_id = h.client_id and p.device_id = v.device_id and p.device_user_id is distinct from h.device_user_id
  where exists (select from device_history d where d.client_id = h.client_id and d.device_id = v.device_id
    and d.device_user_id = h.device_user_id and ${HELD_THEN})${ofTypes}
  union all
  select p.state from devices w join payloads p on p.client_id = w.client_id and p.device_id = w.device_id
  where w.client_id = h.client_id and w.waiting_since is not null and h.device_user_id in (w.previous_user_id, w.requested_user_id)
    and p.device_user_id is null and not exists (select from device_history d where d.client_id = h.client_id and d.device_id = w.device_id
      and d.device_user_id = h.device_user_id and ${HELD_THEN})${ofTypes}
  union all
  select p.state from payloads p where h.target_type = 'PortalUser' and p.client_id = h.client_id and p.payload_id in (
    select payload_id from payload_comments c where c.client_id = h.client_id and c.raised_by = h.target
    union select c.payload_id from payload_comment_versions v join payload_comments c using (client_id, comment_id)
      where v.client_id = h.client_id and v.updated_by = h.target
    union select payload_id from payload_marks m where m.client_id = h.client_id and m.marked_by = h.target
    union select payload_id from payload_marks m where m.client_id = h.client_id and m.decided_by = h.target
    union select payload_id from payload_receipts r where r.client_id = h.client_id and r.client_app_user = h.target and r.is_person)${ofTypes}
  limit ${most + 1}`

const UNTIL = `case when not h.is_active then h.updated_at + ${HOLD_GRACE_SECONDS} end`

/** SQL: payloads that hold `h` keeps, and those destroyed before, up to a limit. */
export function keptBy({ most, types }: HeldCountScope): string {
  const ofTypes = types ? ` and p.type = any('{${getCodes(types).join()}}')` : ''
  return `(
  select case when h.is_active or ${UNTIL} > ${CLOCK} then least(there, ${most} - gone) else 0 end as protected,
    gone as already_destroyed, there + gone > ${most} as is_capped
  from (
    select count(*) filter (where state <> ${STATE_CODES.Destroyed})::int as there, count(*) filter (where state = ${STATE_CODES.Destroyed})::int as gone
    from (${protectedPayloads(most, ofTypes)}) c) counts)`
}

/** SQL: names of the open matters of hold `h`. */
const MATTERS = `coalesce((select json_agg(m.name order by m.opened_at, m.matter_id) from legal_matter_people x join legal_matters m using (client_id, matter_id)
    where x.client_id = h.client_id and x.target_type = h.target_type and x.target = h.target and x.removed_at is null), '[]')`

/** SQL: wire form of holds. A released hold past its grace period keeps nothing. */
const holdsSql = (counted: HeldCountScope, where: string) => `
  select ${clientColumn('h.client_id')}, h.target, h.target_type, ${HELD_NAME} as target_name, h.is_active, h.created_at, h.updated_at, h.updated_by, ${UNTIL} as keeps_until,
    ${MATTERS} as matters, n.*
  from legal_holds h cross join lateral ${keptBy(counted)} n
  where h.client_id = $1 and ${where}`

export interface HoldFilter {
  target_type?: string | undefined
  is_active?: boolean | undefined
  search?: string | undefined
}

const FILTER = `($2::text is null or h.target_type = $2) and ($3::bool is null or h.is_active = $3)
  and ($4::text is null or position(lower($4) in lower(concat_ws(' ', h.target, ${HELD_NAME}))) > 0)`
const getValues = (q: Queryable, { target_type, is_active, search }: HoldFilter) => [
  q.client_id,
  target_type ?? null,
  is_active ?? null,
  search ?? null,
]

/** Holds after a cursor, last changed first; payloads of each are counted. */
export function listHolds(
  q: Queryable,
  filter: HoldFilter,
  { after, limit, counted }: { after: HoldPlace | undefined; limit: number; counted: HeldCountScope },
): Promise<LegalHold[]> {
  return q.rows<LegalHold>(
    `${holdsSql(counted, FILTER)} and ($5::bigint is null or (h.updated_at, h.target_type, h.target) < ($5, $6::text, $7::text))
     order by h.updated_at desc, h.target_type desc, h.target desc limit $8`,
    [...getValues(q, filter), ...(after ?? [null, null, null]), limit],
  )
}

/** List cursor of holds. */
export type HoldPlace = readonly [updated_at: number, target_type: string, target: string]

export function countHolds(q: Queryable, filter: HoldFilter): Promise<number> {
  return q.count(
    `select count(*)::int as total from legal_holds h where h.client_id = $1 and ${FILTER}`,
    getValues(q, filter),
  )
}

/** Finds a hold, active or released. */
export function findHold(
  q: Queryable,
  { target_type, target }: HoldSubject,
  counted: HeldCountScope,
): Promise<LegalHold | undefined> {
  return q.row<LegalHold>(holdsSql(counted, 'h.target_type = $2 and h.target = $3'), [
    q.client_id,
    target_type,
    target,
  ])
}

/** Whether a subject is on hold now; lock the subject when a decision depends on it. */
export async function isActive(q: Queryable, { target_type, target }: HoldSubject): Promise<boolean> {
  return (
    (await q.value<boolean>(
      'select is_active from legal_holds where client_id = $1 and target_type = $2 and target = $3',
      [q.client_id, target_type, target],
    )) ?? false
  )
}

/** Id of a device user, also a deleted one. */
export function findHeldUser(q: Queryable, device_user_reference: string): Promise<number | undefined> {
  return q.value<number>(
    'select device_user_id from device_users where client_id = $1 and device_user_reference = $2',
    [q.client_id, device_user_reference],
  )
}

export interface HoldAct {
  act: HoldEvent['act']
  by: string
  /** From `keepReason`; required for a release. */
  reason_id: string | null
  /** The matter; null: a separate hold. */
  matter_id: string | null
  /** Second person of a release under dual control. */
  confirmed_by?: string | null
}

/** A subject with its id; null for portal users. */
export interface HeldSubject extends HoldSubject {
  device_user_id: number | null
}

/**
 * Places or releases holds on locked subjects. The database time is never before the last event, so periods do not
 * overlap.
 */
export async function writeHolds(
  tx: Tx,
  subjects: readonly HeldSubject[],
  { act, by, reason_id, matter_id, confirmed_by = null }: HoldAct,
): Promise<void> {
  await tx.query(WRITE, [tx.client_id, JSON.stringify(subjects), act, by, reason_id, matter_id, confirmed_by])
}

const WRITE = `
  with x as materialized (
    select x.*, greatest(${CLOCK}, (select max(at) from legal_hold_events e
      where e.client_id = $1 and e.target_type = x.target_type and e.target = x.target)) as at
    from jsonb_to_recordset($2::jsonb) as x (target_type text, target text, device_user_id int)
  ), held as (
    insert into legal_holds (client_id, target_type, target, device_user_id, is_active, is_own, created_at, updated_at, updated_by)
    select $1::int, target_type, target, device_user_id, $3::text = 'set', $3 = 'set' and $6::text is null, at, at, $4::text from x
    on conflict (client_id, target_type, target) do update set is_active = excluded.is_active, is_own = excluded.is_own,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
  )
  insert into legal_hold_events (client_id, target_type, target, act, at, by, reason_id, matter_id, confirmed_by)
  select $1::int, target_type, target, $3::text, at, $4::text, $5::text, $6::text, $7::text from x`

/** Adds a separate hold to subjects that matters already hold. */
export async function otherHold(tx: Tx, { target_type, target }: HoldSubject): Promise<void> {
  await tx.query(
    'update legal_holds set is_own = true where client_id = $1 and target_type = $2 and target = $3 and not is_own',
    [tx.client_id, target_type, target],
  )
}

/** An event with its sealed reason. */
export interface StoredEvent extends HoldEvent {
  by: string
  /** Second person, with dual control. */
  confirmed_by: string | null
  reason: SealedReason | null
  /** Name of the matter. */
  matter: string | null
}

/** Events of a hold in order. */
export async function findEvents(q: Queryable, { target_type, target }: HoldSubject): Promise<StoredEvent[]> {
  const { rows } = await q.query<
    HoldEvent & { by: string; confirmed_by: string | null; matter: string | null } & Partial<SealedReason>
  >(
    `select e.act, e.at, e.by, e.confirmed_by, m.name as matter, r.reason_id, r.sealed_reason, r.wrapped_key from legal_hold_events e
     left join legal_hold_reasons r using (client_id, reason_id) left join legal_matters m using (client_id, matter_id)
     where e.client_id = $1 and e.target_type = $2 and e.target = $3 order by e.event_id`,
    [q.client_id, target_type, target],
  )
  return rows.map(({ act, at, by, confirmed_by, matter, reason_id, sealed_reason, wrapped_key }) => ({
    act,
    at,
    by,
    confirmed_by,
    matter,
    reason: reason_id && sealed_reason && wrapped_key ? { reason_id, sealed_reason, wrapped_key } : null,
  }))
}

/** Event that started the current hold; undefined without a hold. */
export function findHoldingEvent(
  q: Queryable,
  { target_type, target }: HoldSubject,
): Promise<number | undefined> {
  return q.value<number>(
    `select e.event_id::int from legal_holds h join legal_hold_events e using (client_id, target_type, target)
     where h.client_id = $1 and h.target_type = $2 and h.target = $3 and h.is_active order by e.event_id desc limit 1`,
    [q.client_id, target_type, target],
  )
}

/** Current hold of a subject. */
export interface Status extends HeldSubject {
  is_active: boolean
  is_own: boolean
  /** Its open matters. */
  matters: string[]
}

const JOINED = `from jsonb_to_recordset($2::jsonb) as x (target_type text, target text)
  join legal_holds h on h.client_id = $1 and h.target_type = x.target_type and h.target = x.target`

/** Current holds of subjects that ever had one; lock them when a decision depends on it. */
export function findStatus(q: Queryable, subjects: readonly HoldSubject[]): Promise<Status[]> {
  return q.rows<Status>(
    `select h.target_type, h.target, h.device_user_id, h.is_active, h.is_own, coalesce((select array_agg(p.matter_id) from legal_matter_people p
       where p.client_id = h.client_id and p.target_type = h.target_type and p.target = h.target and p.removed_at is null), '{}') as matters
     ${JOINED}`,
    [q.client_id, JSON.stringify(subjects)],
  )
}

/** Open matters of these locked subjects. */
export const findMattersOf = async (q: Queryable, subjects: readonly HoldSubject[]): Promise<string[]> =>
  (await findStatus(q, subjects)).flatMap(({ matters }) => matters)

/** Unique name of a subject. */
export const getName = ({ target_type, target }: HoldSubject) => `${target_type}:${target}`

/** State of a separate hold for its release, under lock. Undefined when it cannot be released. */
export async function basisOfHold(tx: Tx, subject: HoldSubject): Promise<{ event_id: number } | undefined> {
  if (!(await isActive(tx, subject)) || (await findMattersOf(tx, [subject])).length > 0) return undefined
  const event_id = await findHoldingEvent(tx, subject)
  return event_id === undefined ? undefined : { event_id }
}

/** Who releases, and the reason from `keepReason`. */
export interface Releaser {
  by: string
  reason_id: string | null
  /** Second person, with dual control. */
  confirmed_by: string | null
}

/** Releases a locked, held subject that no matter holds. */
export async function releaseHeld(tx: Tx, { target_type, target }: HoldSubject, as: Releaser): Promise<void> {
  const device_user_id = target_type === 'DeviceUser' ? ((await findHeldUser(tx, target)) ?? null) : null
  await writeHolds(tx, [{ target_type, target, device_user_id }], { act: 'released', matter_id: null, ...as })
}
