import type { HoldTarget } from '@custodia/contract'
import { type HoldEvent, HOLD_GRACE_SECONDS, holdPeriods, type HoldPeriod, holdsAt } from '@custodia/domain'
import { PERSON_NAME } from '../device-records/names-store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

export interface HoldSubject {
  target_type: HoldTarget
  target: string
}

/** SQL: database time in seconds, which all processes share. */
export const CLOCK = 'floor(extract(epoch from clock_timestamp()))::bigint'

/** SQL: name of the device user of hold `h`; null where none is known. */
export const HELD_NAME = `(select ${PERSON_NAME('u')} from device_users u
    where u.client_id = h.client_id and u.device_user_id = h.device_user_id)`

/** SQL: whether hold `h` protects: active, or released within the grace period. */
export const KEEPS = `(h.is_active or h.updated_at > ${CLOCK} - ${HOLD_GRACE_SECONDS})`

/**
 * SQL: whether period `d` of the device history covers a time of payload `p`. Times before the first period belong to
 * its holder.
 */
export const HELD_THEN = `(d.to_at is null or d.to_at >= least(p.payload_time, p.claimed_time))
  and (d.from_at <= greatest(p.payload_time, p.claimed_time, p.payload_end_time) or not exists (
    select from device_history e where e.client_id = d.client_id and e.device_id = d.device_id and e.from_at < d.from_at))`

/**
 * SQL: the former and the claimed user of the device of payload or record `p`, whose holder waits for a decision: until
 * then `p` has no user.
 */
export const CLAIMED = `select w.client_id, c.device_user_id from devices w cross join lateral (values (w.previous_user_id), (w.requested_user_id)) c (device_user_id)
  where p.device_user_id is null and w.client_id = p.client_id and w.device_id = p.device_id and c.device_user_id is not null`

/** SQL: portal users with a comment, mark or receipt on payload `p`, possibly repeated. */
const AUTHORS = `select x.person from payload_comments c left join payload_comment_versions v using (client_id, comment_id)
    cross join lateral (values (c.raised_by), (v.updated_by)) x (person) where c.client_id = p.client_id and c.payload_id = p.payload_id
  union all select x.person from payload_marks m cross join lateral (values (m.marked_by), (m.decided_by)) x (person)
    where m.client_id = p.client_id and m.payload_id = p.payload_id
  union all select r.client_app_user from payload_receipts r where r.client_id = p.client_id and r.payload_id = p.payload_id and r.is_person`

/**
 * SQL: whether a hold protects payload `p`. Looks up the payload's few subjects.
 * @param client_id as a constant, so that the check for any hold runs once, not per row
 */
export const heldPayload = (client_id: string): string => {
  const isAny = (target_type: HoldTarget) =>
    `exists (select from legal_holds h where h.client_id = ${client_id} and h.target_type = '${target_type}' and ${KEEPS})`
  return `(${isAny('DeviceUser')} and (
    exists (select from legal_holds h where h.client_id = p.client_id and h.device_user_id = p.device_user_id and ${KEEPS})
    or exists (select from device_history d join legal_holds h on h.client_id = d.client_id and h.device_user_id = d.device_user_id
      where d.client_id = p.client_id and d.device_id = p.device_id and ${KEEPS} and ${HELD_THEN})
    or exists (select from (${CLAIMED}) c join legal_holds h using (client_id, device_user_id) where ${KEEPS}))
  or ${isAny('PortalUser')} and
    exists (select from (${AUTHORS}) s join legal_holds h on h.client_id = p.client_id and h.target_type = 'PortalUser' and h.target = s.person
      where ${KEEPS}))`
}

/** SQL: at most $2 payloads that people on hold commented, marked or confirmed. */
const OF_AUTHORS = [
  ['payload_comments', 'raised_by', ''],
  ['payload_comment_versions', 'updated_by', ''],
  ['payload_marks', 'marked_by', ''],
  ['payload_marks', 'decided_by', ''],
  ['payload_receipts', 'client_app_user', 'and x.is_person'],
]
  .map(([table, column, more]) => {
    const payload =
      table === 'payload_comment_versions' ? 'join payload_comments using (client_id, comment_id)' : ''
    return `select payload_id from ${table} x ${payload} where client_id = $1 and x.${column} in (select target from held where target_type = 'PortalUser') ${more}`
  })
  .join(' union all ')

const HELD_RUNS = `with held as materialized (
    select h.target_type, h.target, h.device_user_id from legal_holds h where h.client_id = $1 and ${KEEPS})
  select array(select device_user_id from held where device_user_id is not null limit $2) as people,
    array(select distinct device_id from (
      select d.device_id from device_history d where d.client_id = $1 and d.device_user_id in (select device_user_id from held)
      union all
      select w.device_id from devices w where w.client_id = $1 and w.waiting_since is not null
        and (w.previous_user_id in (select device_user_id from held) or w.requested_user_id in (select device_user_id from held))) d
      limit $2) as devices,
    array(select distinct payload_id from (select payload_id from (${OF_AUTHORS}) a limit $2) b)::text[] as payloads`

/** People, devices and single payloads among whose payloads all held ones are. */
export interface HeldRuns {
  people: number[]
  devices: number[]
  payloads: string[]
}

/** The runs of held payloads; undefined when there are more than `most`. */
export async function findHeldRuns(q: Queryable, most: number): Promise<HeldRuns | undefined> {
  const found = await q.row<HeldRuns>(HELD_RUNS, [q.client_id, most + 1])
  return found && found.people.length + found.devices.length + found.payloads.length <= most
    ? found
    : undefined
}

/** Held payloads of a page. A separate statement costs less than a part of the list query. */
export async function findHeld(q: Queryable, payload_ids: readonly number[]): Promise<Set<number>> {
  return new Set(
    await q.column<number>(
      `select p.payload_id from payloads p where p.client_id = $1 and p.payload_id = any($2) and ${heldPayload('$1')}`,
      [q.client_id, payload_ids],
    ),
  )
}

/** SQL: whether device user `u` is on hold. */
export const HELD_USER = `exists (select from legal_holds h where h.client_id = u.client_id and h.device_user_id = u.device_user_id and ${KEEPS})`

/** SQL: whether a current or former holder of device `d` is on hold. */
export const HELD_DEVICE = `exists (select from device_history y join legal_holds h on h.client_id = y.client_id and h.device_user_id = y.device_user_id
  where y.client_id = d.client_id and y.device_id = d.device_id and ${KEEPS})`

/**
 * Subjects whose hold protects these payloads: owner, holders at recording time, users that a waiting device may have,
 * and portal users with comments, marks or receipts.
 */
export async function getSubjects(
  q: Queryable,
  payload_ids: readonly number[],
): Promise<Map<number, HoldSubject[]>> {
  const { rows } = await q.query<HoldSubject & { payload_id: number }>(
    `select p.payload_id, s.target_type, s.target from payloads p cross join lateral (
       select 'DeviceUser' as target_type, u.device_user_reference as target from device_users u
       where u.client_id = p.client_id and u.device_user_id in (
         select p.device_user_id union select d.device_user_id from device_history d
         where d.client_id = p.client_id and d.device_id = p.device_id and ${HELD_THEN}
         union select c.device_user_id from (${CLAIMED}) c)
       union all
       select distinct 'PortalUser', person from (${AUTHORS}) x where person is not null) s
     where p.client_id = $1 and p.payload_id = any($2)`,
    [q.client_id, payload_ids],
  )
  const found = Map.groupBy(rows, ({ payload_id }) => payload_id)
  return new Map(
    payload_ids.map((id) => [
      id,
      (found.get(id) ?? []).map(({ target_type, target }) => ({ target_type, target })),
    ]),
  )
}

/** The device users in a legal matter; undefined: there is no such matter. */
export function findMatterUsers(q: Queryable, matter_id: string): Promise<string[] | undefined> {
  return q.value<string[]>(
    `select array(select target from legal_matter_people p where p.client_id = $1 and p.matter_id = $2
       and p.target_type = 'DeviceUser' and p.removed_at is null order by target) as people
     from legal_matters where client_id = $1 and matter_id = $2`,
    [q.client_id, matter_id],
  )
}

/** Those of these ids that are open legal matters. */
export async function findOpenMatters(q: Queryable, matter_ids: readonly string[]): Promise<Set<string>> {
  return new Set(
    await q.column<string>(
      'select matter_id from legal_matters where client_id = $1 and matter_id = any($2) and closed_at is null',
      [q.client_id, matter_ids],
    ),
  )
}

/** Unique name of a subject, for locks and lookups. */
const getName = ({ target_type, target }: HoldSubject) => `${target_type}:${target}`

const KEY = `select hashtextextended('hold:' || $1::text || ':' || name, 0) as key from unnest($2::text[]) name`

/** Locks subjects against deletions and hold changes until the transaction ends, in one order to avoid deadlocks. */
export async function lockSubjects(tx: Tx, subjects: readonly HoldSubject[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(key) from (${KEY} order by key offset 0) k`, [
    tx.client_id,
    subjects.map(getName),
  ])
}

/** Share-locks subjects against hold changes until the transaction ends, in one order to avoid deadlocks. */
async function shareSubjects(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(key) from (${KEY} order by key offset 0) k`, [
    tx.client_id,
    names,
  ])
}

const getNames = (subjects: ReadonlyMap<unknown, readonly HoldSubject[]>): string[] => [
  ...new Set([...subjects.values()].flat().map(getName)),
]

/** Hold periods, also released ones, of the subjects of each payload, for `decide`. */
export async function getHoldPeriods(
  q: Queryable,
  payload_ids: readonly number[],
): Promise<Map<number, HoldPeriod[]>> {
  return getPeriods(q, await getSubjects(q, payload_ids))
}

async function getPeriods<Id>(
  q: Queryable,
  subjects: ReadonlyMap<Id, readonly HoldSubject[]>,
): Promise<Map<Id, HoldPeriod[]>> {
  const { rows } = await q.query<HoldEvent & { name: string }>(
    `select e.target_type || ':' || e.target as name, e.act, e.at from legal_hold_events e
     join unnest($2::text[]) n on e.target_type = split_part(n, ':', 1) and e.target = substr(n, strpos(n, ':') + 1)
     where e.client_id = $1 order by e.event_id`,
    [q.client_id, getNames(subjects)],
  )
  const events = Map.groupBy(rows, ({ name }) => name)
  const periods = new Map(
    [...events].map(([name, of]) => [name, holdPeriods(of).map(({ from, until }) => ({ from, until }))]),
  )
  return new Map(
    [...subjects].map(([id, of]) => [id, of.flatMap((subject) => periods.get(getName(subject)) ?? [])]),
  )
}

type Holder = HoldSubject & { target_name: string | null; matters: { matter_id: string; name: string }[] }

/** The holds that protect a payload now, each with its open matters. */
export async function findHolders(q: Queryable, payload_id: number): Promise<Holder[]> {
  const subjects = await getSubjects(q, [payload_id])
  return q.rows<Holder>(
    `select h.target_type, h.target, ${HELD_NAME} as target_name, coalesce((
         select json_agg(json_build_object('matter_id', m.matter_id, 'name', m.name) order by m.opened_at, m.matter_id)
         from legal_matter_people x join legal_matters m using (client_id, matter_id)
         where x.client_id = h.client_id and x.target_type = h.target_type and x.target = h.target and x.removed_at is null), '[]') as matters
     from legal_holds h where h.client_id = $1 and h.target_type || ':' || h.target = any($2) and ${KEEPS}
     order by h.target_type, h.target`,
    [q.client_id, getNames(subjects)],
  )
}

/** Subjects locked by `lockAgainstHolds`, to be checked again after locking the rows. */
export interface AgainstHolds<Id> {
  /** Rows without a hold and without new subjects. */
  free(): Promise<Set<Id>>
}

/**
 * Locks holds before payloads are deleted. The caller then locks the payloads and calls `free`, whose own statement
 * sees later commits.
 */
export const lockAgainstHolds = (tx: Tx, payload_ids: readonly number[]): Promise<AgainstHolds<number>> =>
  lockAgainst(tx, payload_ids, () => getSubjects(tx, payload_ids))

/** The same for any rows, by their subjects. */
export async function lockAgainst<Id>(
  tx: Tx,
  ids: readonly Id[],
  subjectsNow: () => Promise<ReadonlyMap<Id, readonly HoldSubject[]>>,
): Promise<AgainstHolds<Id>> {
  const locked = new Set(getNames(await subjectsNow()))
  await shareSubjects(tx, [...locked])
  return {
    async free() {
      const subjects = await subjectsNow()
      const periods = await getPeriods(tx, subjects)
      const now = await databaseTime(tx)
      return new Set(
        ids.filter(
          (id) =>
            (subjects.get(id) ?? []).every((subject) => locked.has(getName(subject))) &&
            !(periods.get(id) ?? []).some((period) => holdsAt(period, now)),
        ),
      )
    },
  }
}

/** The same for a device user. */
export const lockUserAgainstHolds = (tx: Tx, device_user_reference: string): Promise<AgainstHolds<string>> =>
  lockAgainst(tx, [device_user_reference], () =>
    Promise.resolve(
      new Map([[device_user_reference, [{ target_type: 'DeviceUser', target: device_user_reference }]]]),
    ),
  )

/** The same for a device and its current and former holders. */
export const lockDeviceAgainstHolds = (tx: Tx, device_reference: string): Promise<AgainstHolds<string>> =>
  lockAgainst(tx, [device_reference], async () => {
    const { rows } = await tx.query<HoldSubject>(
      `select distinct 'DeviceUser' as target_type, u.device_user_reference as target
       from devices d join device_history y using (client_id, device_id) join device_users u on u.client_id = y.client_id and u.device_user_id = y.device_user_id
       where d.client_id = $1 and d.device_reference = $2`,
      [tx.client_id, device_reference],
    )
    return new Map([[device_reference, rows]])
  })

/** Database time in epoch seconds. */
async function databaseTime(q: Queryable): Promise<number> {
  const { rows } = await q.query<{ now: number }>(`select ${CLOCK} as now`, [])
  // Without a database time no hold ends.
  return rows[0]?.now ?? Number.NaN
}
