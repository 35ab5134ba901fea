import { type Access, interpretSearch, withCallingCodes } from '@custodia/domain'
import type { Bind } from '../ports/database/binder.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** SQL: first name and surname of a device user; null where neither is known. */
export const PERSON_NAME = (u: string): string =>
  `nullif(trim(concat_ws(' ', ${u}.first_name, ${u}.surname)), '')`

/**
 * SQL: ids of people whose name has a word in each of the ranges of an array; none without ranges. It is evaluated once
 * and not for each row, so tens of thousands of people are searched in milliseconds. The ends of the ranges are worked
 * out apart: row-level security keeps a condition with a function from an index. $1 is the client.
 */
export const holdersByWords = (lows: string): string => `
  select x.device_user_id from (select low, low || chr(1114111) as high from unnest(${lows}::text[]) low offset 0) w
    join device_user_words x on x.client_id = $1 and x.word >= low and x.word < high
  group by x.device_user_id having count(distinct low) = cardinality(${lows}::text[])`

/**
 * SQL: the display names of portal users, `user_reference` and `display_name`: of the newest session, else of the
 * embedded provider.
 * @param among condition on a user reference, such as `= any($2)`
 */
export const PORTAL_USER_NAMES = (client_id: string, among: string): string =>
  `select distinct on (user_reference) user_reference, display_name from (
     select user_reference, display_name, created_at from portal_sessions
     where client_id = ${client_id} and user_reference ${among} and display_name is not null
     union all select o.user_reference, o.display_name, 0 from oidc_people o join clients c using (client)
     where c.client_id = ${client_id} and o.user_reference ${among} and o.display_name is not null
   ) known order by user_reference, created_at desc`

/** SQL: display name of a portal user; null where none is known. */
export const PORTAL_USER_NAME = (client_id: string, user_reference: string): string =>
  `(select display_name from (${PORTAL_USER_NAMES(client_id, `= ${user_reference}`)}) named)`

/** The display names of these portal users, by sign-in name. */
export async function findDisplayNames(
  q: Queryable,
  references: readonly string[],
): Promise<Map<string, string>> {
  if (references.length === 0) return new Map()
  const { rows } = await q.query<{ user_reference: string; display_name: string }>(
    PORTAL_USER_NAMES('$1', '= any($2)'),
    [q.client_id, references],
  )
  return new Map(rows.map(({ user_reference, display_name }) => [user_reference, display_name]))
}

/** A portal user in a document: by name, with the sign-in name that the records have. */
export const nameInDocument = (reference: string, names: ReadonlyMap<string, string>): string =>
  names.has(reference) ? `${names.get(reference)} (${reference})` : reference

interface NamedDevice {
  /** The person who carries it, then the model. */
  name: string | undefined
  holder: string | undefined
}

/** Names of devices that the reader may see, by reference. Names a holder only to readers of that device user. */
export async function deviceNames(
  q: Queryable,
  access: Access,
  references: readonly string[],
): Promise<Map<string, NamedDevice>> {
  if (references.length === 0 || !access.may('devices:read')) return new Map()
  const { rows } = await q.query<{
    reference: string
    model: string | null
    group_id: number
    holder: string | null
    holder_group: number | null
  }>(
    `select v.device_reference as reference, v.model, v.group_id, coalesce(${PERSON_NAME('u')}, u.device_user_reference) as holder,
       u.group_id as holder_group
     from devices v left join device_users u on u.device_user_id = v.device_user_id and u.deleted_at is null
     where v.client_id = $1 and v.device_reference = any($2) and v.deleted_at is null`,
    [q.client_id, references],
  )
  return new Map(
    rows.flatMap(({ reference, model, group_id, ...found }): [string, NamedDevice][] => {
      if (!access.permits('devices:read', { group_id })) return []
      const { holder_group } = found
      const isSeen = holder_group !== null && access.permits('users:read', { group_id: holder_group })
      const holder = isSeen && found.holder !== null ? found.holder : undefined
      return [[reference, { holder, name: [holder, model].filter(Boolean).join(' · ') || undefined }]]
    }),
  )
}

/** Names of device users that the reader may see, by reference. */
export async function personNames(
  q: Queryable,
  access: Access,
  references: readonly string[],
): Promise<Map<string, string>> {
  if (references.length === 0 || !access.may('users:read')) return new Map()
  const { rows } = await q.query<{ reference: string; name: string | null; group_id: number }>(
    `select device_user_reference as reference, ${PERSON_NAME('u')} as name, group_id
     from device_users u where client_id = $1 and device_user_reference = any($2) and deleted_at is null`,
    [q.client_id, references],
  )
  return new Map(
    rows.flatMap(({ reference, name, group_id }): [string, string][] =>
      name !== null && access.permits('users:read', { group_id }) ? [[reference, name]] : [],
    ),
  )
}

interface OwnerReferences {
  device_reference?: string | null
  device_user_reference?: string | null
}

/** Adds the names of device and device user to the rows of a page, as far as the reader may see them. */
export async function withOwnerNames<Row extends object>(
  q: Queryable,
  access: Access,
  rows: readonly (Row & OwnerReferences)[],
): Promise<Row[]> {
  const devices = await deviceNames(q, access, referencesIn(rows, 'device_reference'))
  const people = await personNames(q, access, referencesIn(rows, 'device_user_reference'))
  return rows.map((row) => {
    const device_name = devices.get(row.device_reference ?? '')?.name
    const person_name = people.get(row.device_user_reference ?? '')
    return {
      ...row,
      ...(device_name !== undefined && { device_name }),
      ...(person_name !== undefined && { person_name }),
    }
  })
}

const referencesIn = (rows: readonly OwnerReferences[], field: keyof OwnerReferences): string[] => [
  ...new Set(rows.flatMap((row) => row[field] ?? [])),
]

/** SQL: number claims `n` to show. A claim without a report since another device has the number does not count. */
export const IS_SHOWN_NUMBER = '(n.last_reported is not null or not n.is_contested)'

/**
 * SQL: ids of the devices that have or had a number that was searched for. $1 is the client; `reach` limits former
 * numbers to visible groups.
 */
export function devicesByNumber({ lows, highs, starts }: SearchNumber, bind: Bind, reach: string): string {
  const within = (digits: 'digits' | 'reversed', from: string, to: string) => `
  select n.device_id from unnest(${from}, ${to}) as e (low, high)
  join device_numbers n on n.client_id = $1 and n.${digits} >= e.low and n.${digits} < e.high
  where ${IS_SHOWN_NUMBER} and (n.to_at is null or ${reach} is null or exists (select from device_history h
    where h.client_id = n.client_id and h.device_id = n.device_id and h.group_id = any(${reach})
      and h.from_at < n.to_at and (h.to_at is null or h.to_at > n.from_at)))
  union all
  select l.device_id from unnest(${from}, ${to}) as e (low, high)
  join devices l on l.client_id = $1 and l.legacy_${digits} >= e.low and l.legacy_${digits} < e.high`
  const ending = within('reversed', bind(lows, 'text[]'), bind(highs, 'text[]'))
  if (starts.length === 0) return ending
  const ends = starts.map((start) => `${start}:`)
  return `${ending} union all ${within('digits', bind(starts, 'text[]'), bind(ends, 'text[]'))}`
}

/** Minimum number of trailing digits in a search. */
const SIGNIFICANT_DIGITS = 4
/** Digits of a number without its country code. */
const LOCAL_DIGITS = 7

/** Ranges of reversed digits: from `lows`, below `highs`. */
export interface SearchNumber {
  lows: string[]
  highs: string[]
  /** Digits with which a number begins. */
  starts: string[]
}

/**
 * Ranges for numbers that end with the typed digits, with or without the national zero, or that begin with those after
 * `+` or `0`. Migrated local numbers match whole; undefined without a number.
 */
export function searchNumber(typed: string): SearchNumber | undefined {
  const digits = /^[+\d\s().-]+$/.test(typed) ? typed.replace(/\D/g, '') : ''
  if (digits.length < SIGNIFICANT_DIGITS - 1) return undefined
  const reversed = [...digits].toReversed().join('')
  const { beginnings = [], national } = interpretSearch(typed).terms[0] ?? {}
  const starts = [...beginnings, ...(national === undefined ? [] : withCallingCodes(national))]
  const search: SearchNumber = { lows: [], highs: [], starts }
  // The collation "C" sorts a slash before digits and a colon after them.
  const add = (low: string, mark: '/' | ':') => {
    search.lows.push(low)
    search.highs.push(low + mark)
  }
  for (const end of new Set([reversed, reversed.replace(/0$/, '')]))
    if (end.length >= SIGNIFICANT_DIGITS) add(end, ':')
  if (digits.length < SIGNIFICANT_DIGITS) add(reversed, '/')
  for (let length = LOCAL_DIGITS; length < digits.length; length++)
    for (const whole of [reversed.slice(0, length), `${reversed.slice(0, length)}0`]) add(whole, '/')
  return search
}
