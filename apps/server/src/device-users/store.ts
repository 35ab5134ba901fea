import type {
  Api,
  DEVICE_COUNTS,
  DeviceService,
  DeviceUser,
  DeviceUserInput,
  HandlerInput,
} from '@custodia/contract'
import { type Access, nameWords, searchWords } from '@custodia/domain'
import { mayKnowHolds } from '../access/holds.ts'
import { clientColumn } from '../clients/store.ts'
import { countFleet } from '../device-records/counts-store.ts'
import { revokeEnrolmentsOf } from '../device-records/enrolments-store.ts'
import {
  devicesByNumber,
  holdersByWords,
  type SearchNumber,
  searchNumber,
} from '../device-records/names-store.ts'
import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import { HELD_USER } from '../held-records/store.ts'
import { getVersion } from '../http/etag.ts'
import { type Bind, binder } from '../ports/database/binder.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { byWords, sortedSql, type SortedPage, startsWith } from '../ports/database/sorted.ts'

export interface DeviceUserFilter {
  /** Ids of visible groups. */
  reach: readonly number[] | 'all'
  /** Prefixes that all match words of the name or reference, or a prefix of the email. */
  search?:
    | {
        words: readonly string[]
        email: string
        /** A number of the person's devices, where the caller may list these. */
        number: SearchNumber | undefined
        device_groups: readonly number[] | 'all'
      }
    | undefined
  groups?: readonly string[] | undefined
  services?: readonly DeviceService[] | undefined
  is_active?: boolean | undefined
  is_legacy?: boolean | undefined
  devices?: (typeof DEVICE_COUNTS)[number] | undefined
  is_held?: boolean | undefined
}

/** The device users that the caller may list and that match the filters of the list. */
export function getUserFilter(
  access: Access,
  { search, ...filters }: Omit<HandlerInput<Api['changeDeviceUsers']>['query'], 'client'>,
): DeviceUserFilter {
  return {
    ...filters,
    reach: filters.is_held === undefined || mayKnowHolds(access) ? access.groups('users:list') : [],
    search:
      search === undefined
        ? undefined
        : {
            words: searchWords(search),
            email: search.trim().toLowerCase(),
            number: searchNumber(search),
            device_groups: access.groups('devices:list'),
          },
  }
}

/** A stored user with internal fields. */
export interface DeviceUserRecord extends DeviceUser {
  device_user_id: number
  group_id: number
}

type Row = Omit<DeviceUserRecord, 'version'>

/** SQL: number of active devices of a user. */
const ACTIVE_DEVICES = `(select count(*)::int from devices d
  where d.client_id = u.client_id and d.device_user_id = u.device_user_id and ${IS_ACTIVE_DEVICE})`
const COLUMNS = `${clientColumn('u.client_id')}, u.device_user_id, u.group_id, u.device_user_reference, g.group_reference as "group", u.services, u.expected_device_count,
  u.email, u.first_name, u.surname, u.is_active, u.onboard_date, u.offboard_date, u.is_legacy, u.updated_at, u.updated_by, ${HELD_USER} as is_held`
const FROM = 'device_users u join groups g using (client_id, group_id)'

/** Returns the user unless deleted. Inside a change it also locks the user. */
export async function findUser(
  q: Queryable,
  device_user_reference: string,
  lock = false,
): Promise<DeviceUserRecord | undefined> {
  return (await findUsers(q, [device_user_reference], lock))[0]
}

/** As `findUser` for several users, locked in one order. */
export async function findUsers(
  q: Queryable,
  device_user_references: readonly string[],
  lock = false,
): Promise<DeviceUserRecord[]> {
  const { rows } = await q.query<Row>(
    `select ${COLUMNS}, ${ACTIVE_DEVICES} as actual_device_count from ${FROM}
     where u.client_id = $1 and u.device_user_reference = any($2) and u.deleted_at is null
     order by u.device_user_reference ${lock ? 'for no key update of u' : ''}`,
    [q.client_id, device_user_references],
  )
  return rows.map(withVersion)
}

/** SQL: ids of the users whose email address begins with the text, whose name has the words, or whose device has the number. */
function bySearch(
  { email, words, number, device_groups }: NonNullable<DeviceUserFilter['search']>,
  bind: Bind,
): string {
  const byText = `
    select e.device_user_id from device_users e where e.client_id = $1 and e.email is not null and ${startsWith('e.email_text', bind(email, 'text'))}
    union all (${holdersByWords(bind(words, 'text[]'))})`
  if (number === undefined) return byText
  const groups = device_groups === 'all' ? 'null::int[]' : bind(device_groups, 'int[]')
  return `${byText} union all select f.device_user_id from devices f where f.client_id = $1 and f.device_user_id is not null
    and (${groups} is null or f.group_id = any(${groups})) and f.device_id = any(array(${devicesByNumber(number, bind, groups)}))`
}

function getConditions(q: Queryable, { reach, ...filter }: DeviceUserFilter) {
  const { bind, values } = binder()
  const { search, groups, services, is_active, is_legacy, devices, is_held } = filter
  const conditions = [
    `u.client_id = ${bind(q.client_id, 'int')} and u.deleted_at is null`,
    reach !== 'all' && `u.group_id = any(${bind(reach, 'int[]')})`,
    search && `u.device_user_id = any(array(${bySearch(search, bind)}))`,
    groups && `g.group_reference = any(${bind(groups, 'text[]')})`,
    services && `u.services && ${bind(services, 'text[]')}`,
    is_active !== undefined && `u.is_active = ${bind(is_active, 'boolean')}`,
    is_legacy !== undefined && `u.is_legacy = ${bind(is_legacy, 'boolean')}`,
    devices &&
      `${bind(devices, 'text')} = case sign(${ACTIVE_DEVICES} - u.expected_device_count) when -1 then 'fewer' when 0 then 'as_expected' else 'more' end`,
    is_held !== undefined && `${HELD_USER} = ${bind(is_held, 'boolean')}`,
  ].filter(Boolean)
  return { where: conditions.join(' and '), bind, values }
}

/** As `FROM`; the groups come in the order of their names, which then costs once for each group. */
const fromByGroup = (
  direction: 'asc' | 'desc',
) => `device_users u join (select client_id, group_id, group_reference, ${byWords('group_reference')} as sort_key
  from groups where client_id = $1 order by 4 ${direction} offset 0) g using (client_id, group_id)`

const SORTS = {
  name: 'u.name_text',
  email: 'u.email_text',
  group: 'g.sort_key',
  onboard_date: 'u.onboard_text',
}

/** Lists users by reference or in another order, with the sort value of each. */
export async function listUsers(
  q: Queryable,
  filter: DeviceUserFilter,
  asked: SortedPage,
): Promise<(DeviceUserRecord & { sort_value: string })[]> {
  const { where, bind, values } = getConditions(q, filter)
  const { value, order, page } = sortedSql(SORTS, 'u.device_user_reference', asked, bind)
  const { rows } = await q.query<Row & { sort_value: string }>(
    // The page is found before its columns, which cost more than the order of all users.
    `with page as materialized (select u.device_user_id, ${value} as sort_value from ${asked.sort?.endsWith('group') ? fromByGroup(asked.sort.startsWith('-') ? 'desc' : 'asc') : FROM} where ${where} ${page})
     select ${COLUMNS}, ${ACTIVE_DEVICES} as actual_device_count, sort_value
     from page join ${FROM.replace('device_users u', 'device_users u using (device_user_id)')} order by ${order}`,
    values,
  )
  return rows.map(({ sort_value, ...row }) => ({ ...withVersion(row), sort_value }))
}

/** Locks at most `limit` users that match the filter, ordered by reference. */
export async function lockUsers(
  tx: Tx,
  filter: DeviceUserFilter,
  limit: number,
): Promise<DeviceUserRecord[]> {
  const { where, bind, values } = getConditions(tx, filter)
  const { rows } = await tx.query<Row>(
    `select ${COLUMNS}, ${ACTIVE_DEVICES} as actual_device_count from ${FROM}
     where ${where} order by u.device_user_reference limit ${bind(limit, 'int')} for no key update of u`,
    values,
  )
  return rows.map(withVersion)
}

export function countUsers(q: Queryable, filter: DeviceUserFilter): Promise<number> {
  const { reach, ...narrowing } = filter
  // Triggers maintain the count of whole groups.
  if (Object.values(narrowing).every((each) => each === undefined)) return countFleet(q, 'u', reach)
  const { where, values } = getConditions(q, filter)
  return q.count(`select count(*)::int as total from ${FROM} where ${where}`, values)
}

/** Wire form of a user. Only a caller who `knows_holds` sees the legal hold. */
export function toResponse(
  { device_user_id: _id, group_id: _group, is_held, ...user }: DeviceUserRecord,
  knows_holds: boolean,
): DeviceUser {
  return knows_holds && is_held !== undefined ? { ...user, is_held } : user
}

/** Saved fields that are not input. */
export interface SavedUser extends Omit<DeviceUserInput, 'group'> {
  group_id: number
  onboard_date: number | null
  offboard_date: number | null
}

export async function updateUsers(
  tx: Tx,
  users: readonly (SavedUser & { device_user_id: number })[],
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  if (users.length === 0) return
  await tx.query(
    `update device_users u set updated_at = $2, updated_by = $3, ${SAVED.map((column) => `${column} = x.${column}`).join(', ')}
     from jsonb_to_recordset($4) as x (device_user_id int, ${SAVED_TYPES})
     where u.client_id = $1 and u.device_user_id = x.device_user_id`,
    [tx.client_id, by.updated_at, by.updated_by, JSON.stringify(users)],
  )
}

const SAVED = [
  'group_id',
  'services',
  'expected_device_count',
  'email',
  'first_name',
  'surname',
  'is_active',
  'onboard_date',
  'offboard_date',
] as const satisfies readonly (keyof SavedUser)[]

/** SQL: JSON types of the saved columns. */
const SAVED_TYPES = `group_id int, services text[], expected_device_count int, email text, first_name text, surname text,
  is_active boolean, onboard_date bigint, offboard_date bigint`

/** Hides users permanently; the references stay reserved, and their enrolments end. */
export async function hideUsers(
  tx: Tx,
  device_user_ids: readonly number[],
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await revokeEnrolmentsOf(tx, device_user_ids, by)
  await tx.query(
    'update device_users set deleted_at = $3, updated_at = $3, updated_by = $4 where client_id = $1 and device_user_id = any($2)',
    [tx.client_id, device_user_ids, by.updated_at, by.updated_by],
  )
}

// The activation of a device does not change the user's version.
const withVersion = (row: Row): DeviceUserRecord => ({
  ...row,
  version: getVersion([...SAVED.map((column) => row[column]), row.is_legacy, row.updated_at]),
})

export interface NewDeviceUser {
  device_user_reference: string
  group: string
  services: readonly DeviceService[]
  email: string
  first_name: string
  surname: string
  /** Default 1. */
  expected_device_count?: number
}

/** Adds a user to a group from now on; a known user stays unchanged. */
export async function insertDeviceUser(
  tx: Tx,
  user: NewDeviceUser,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const {
    device_user_reference,
    group,
    services,
    email,
    first_name,
    surname,
    expected_device_count = 1,
  } = user
  const { rows } = await tx.query<NamedUser>(
    `insert into device_users (client_id, device_user_reference, group_id, services, email, first_name, surname,
       onboard_date, updated_at, updated_by, expected_device_count)
     select $1, $2, group_id, $4, $5, $6, $7, $8, $8, $9, $10 from groups where client_id = $1 and group_reference = $3
     on conflict do nothing returning ${NAMES}`,
    [
      tx.client_id,
      device_user_reference,
      group,
      services,
      email,
      first_name,
      surname,
      by.updated_at,
      by.updated_by,
      expected_device_count,
    ],
  )
  await insertUserWords(tx, rows)
}

/** A user with all indexed names. */
export interface NamedUser {
  device_user_id: number
  device_user_reference: string
  first_name: string | null
  surname: string | null
}
const NAMES = 'device_user_id, device_user_reference, first_name, surname'

/** Number of words from which a new plan pays. */
const MANY_WORDS = 100

/** Replaces the search words of users. */
export async function insertUserWords(tx: Tx, users: readonly NamedUser[]): Promise<void> {
  const words = users.flatMap(({ device_user_id, first_name, surname, device_user_reference }) =>
    nameWords(`${first_name ?? ''} ${surname ?? ''} ${device_user_reference}`).map((word) => ({
      device_user_id,
      word,
    })),
  )
  await tx.query('delete from device_user_words where client_id = $1 and device_user_id = any($2)', [
    tx.client_id,
    users.map(({ device_user_id }) => device_user_id),
  ])
  // A cached plan from a small table would scan it for each word; a custom plan uses the current size.
  if (words.length > MANY_WORDS) await tx.query('set local plan_cache_mode = force_custom_plan')
  await tx.query(
    `insert into device_user_words (client_id, word, device_user_id) select $1, word, device_user_id
     from unnest($2::text[], $3::int[]) as x (word, device_user_id) on conflict do nothing`,
    [tx.client_id, words.map(({ word }) => word), words.map(({ device_user_id }) => device_user_id)],
  )
}

/** Makes changes that give an email to a user wait for each other until the transaction ends. */
export async function lockEmails(tx: Tx): Promise<void> {
  // An advisory lock per client, because the user with the same email may not be stored yet.
  await tx.query(`select pg_advisory_xact_lock(hashtext('device_user_emails'), $1)`, [tx.client_id])
}

/** Active users with these emails: a device could not identify its holder by a shared one. */
export function findNamesakes(
  q: Queryable,
  emails: readonly string[],
): Promise<{ email: string; device_user_reference: string }[]> {
  return q.rows<{ email: string; device_user_reference: string }>(
    `select lower(email) as email, device_user_reference from device_users
     where client_id = $1 and email_text = any(array(select sort_text(e) from unnest($2::text[]) e))
       and lower(email) in (select lower(e) from unnest($2::text[]) e)
       and is_active and deleted_at is null`,
    [q.client_id, emails],
  )
}

/** Returns the references in use, also by deleted users. */
export async function findTaken(
  q: Queryable,
  device_user_references: readonly string[],
): Promise<Set<string>> {
  return new Set(
    await q.column<string>(
      'select device_user_reference from device_users where client_id = $1 and device_user_reference = any($2)',
      [q.client_id, device_user_references],
    ),
  )
}

/** Inserts users; returns those whose reference was free. */
export async function insertUsers(
  tx: Tx,
  users: readonly (SavedUser & { device_user_reference: string })[],
  by: { updated_at: number; updated_by: string },
): Promise<{ device_user_id: number; device_user_reference: string }[]> {
  if (users.length === 0) return []
  return tx.rows<{ device_user_id: number; device_user_reference: string }>(
    `insert into device_users (client_id, device_user_reference, ${SAVED.join(', ')}, updated_at, updated_by)
     select $1, device_user_reference, ${SAVED.join(', ')}, $2, $3 from jsonb_to_recordset($4) as x (device_user_reference text, ${SAVED_TYPES})
     on conflict do nothing returning device_user_id, device_user_reference`,
    [tx.client_id, by.updated_at, by.updated_by, JSON.stringify(users)],
  )
}
