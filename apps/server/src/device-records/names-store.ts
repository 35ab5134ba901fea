import type { Access } from '@custodia/domain'
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
    'display_names',
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
    'device_names',
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
    'person_names',
  )
  return new Map(
    rows.flatMap(({ reference, name, group_id }): [string, string][] =>
      name !== null && access.permits('users:read', { group_id }) ? [[reference, name]] : [],
    ),
  )
}

interface Owned {
  device_reference?: string | null
  device_user_reference?: string | null
}

/** Adds the names of device and device user to the rows of a page, as far as the reader may see them. */
export async function withOwnerNames<Row extends object>(
  q: Queryable,
  access: Access,
  rows: readonly (Row & Owned)[],
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

const referencesIn = (rows: readonly Owned[], field: keyof Owned): string[] => [
  ...new Set(rows.flatMap((row) => row[field] ?? [])),
]
