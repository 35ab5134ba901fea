import { REFERENCE_BEGINNING, type Service, type Suggestion } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { serviceOfCode, STATE_CODES, typeOfCode } from '../../../payload-records/codes.ts'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import type { Effort } from './effort.ts'
import { getDirection, inOrderSql, type ListFilter } from './filter.ts'
import { keysSql } from './keys.ts'
import { firstPlace } from './page.ts'
import type { ListKey } from './place.ts'
import { restSql } from './rows.ts'
import { getScope, type ScopePart } from './scope.ts'

/** Payloads whose references have the typed prefix: how many are read at most, hidden ones included, and how many suggested. */
const [LOOKED_AT, SHOWN] = [20_000, 3]

/** Visible payloads whose reference has this prefix. */
export async function findBeginning(
  q: Queryable,
  access: Access,
  { search, service }: { search: string; service?: Service | undefined },
): Promise<Suggestion[]> {
  const beginning = search.trim()
  if (!BEGINNING.test(beginning)) return []
  const scope = getScope(access, 'payloads:list', { service })
  if (scope.length === 0) return []
  const { values, bind } = binder([q.client_id, [...new Set([beginning, beginning.toUpperCase()])]])
  const rows = await q.rows<{ payload_reference: string; type: number }>(
    referencesSql(scope.map((part) => `(${isInSql(part, bind)})`).join(' or ')),
    values,
  )
  return rows.map(({ payload_reference, type }) => ({
    kind: 'payload',
    payload_reference,
    payload_type: typeOfCode(type),
  }))
}

const BEGINNING = new RegExp(`^[A-Za-z0-9_-]{${REFERENCE_BEGINNING},36}$`)

/** SQL: whether payload `p` is in a part of the scope. */
const isInSql = ({ service, types, groups }: ScopePart, bind: Bind): string =>
  [
    `p.service = ${bind(service, 'smallint')}`,
    ...(types ? [`p.type = any(${bind(types, 'smallint[]')})`] : []),
    ...(groups ? [`p.group_id = any(${bind(groups, 'int[]')})`] : []),
  ].join(' and ')

// In collation "C", '~' sorts behind every character of a reference. Hidden payloads take no place of visible ones.
const referencesSql = (isVisible: string) => `
  select payload_reference, type from unnest($2::text[]) b (beginning) cross join lateral (
    select payload_reference, service, type, group_id, state from payloads
    where client_id = $1 and payload_reference >= b.beginning and payload_reference < b.beginning || '~'
    order by payload_reference limit ${LOOKED_AT}) p
  where state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) and (${isVisible}) limit ${SHOWN}`

export interface PersonName {
  device_user_reference: string
  first_name: string | null
  surname: string | null
}

/** The names of these people. */
export function findPeople(q: Queryable, references: readonly string[]): Promise<PersonName[]> {
  return q.rows<PersonName>(
    'select device_user_reference, first_name, surname from device_users where client_id = $1 and device_user_reference = any($2)',
    [q.client_id, references],
  )
}

/** Index entries that one part of the scope scans in one step. */
const SCANNED = 5_000
/** Most steps of one count; the rest is not counted. */
const ROUNDS = 3

/**
 * Payloads of a list that belong to one service and one person; `device_user_id` is null where the device had no
 * holder.
 */
export interface ContactCount {
  service: Service
  device_user_id: number | null
  count: number
}

/** Counts by service and person. `is_capped`: only the newest payloads were counted, up to `most`. */
interface ContactCounts {
  counts: ContactCount[]
  is_capped: boolean
}

/** Counts a list through its own keys, the newest first, so that it counts what the list shows. */
export async function countContacts(
  q: Queryable,
  filter: ListFilter,
  most: number,
  scanned = SCANNED,
): Promise<ContactCounts> {
  const counts = new Map<string, ContactCount>()
  let after: ListKey = firstPlace(filter)
  let left = most
  for (let round = 0; round < ROUNDS; round++) {
    const { text, values } = countSql(filter, after, { keys: most + 1, scanned, isByGroup: round > 0 }, left)
    const { rows } = await q.query<Step>(text, values)
    for (const { service, device_user_id, count } of rows) {
      if (service === null) continue
      const key = `${service} ${device_user_id}`
      const known = counts.get(key)
      counts.set(key, { service: serviceOfCode(service), device_user_id, count: count + (known?.count ?? 0) })
      left -= count
    }
    const end = rows.find(({ service }) => service === null)
    // There is one more than requested, or a place to continue from.
    if (end?.is_more) return { counts: [...counts.values()], is_capped: true }
    if (end?.t === undefined || end.t === null || end.id === null)
      return { counts: [...counts.values()], is_capped: false }
    after = [end.t, end.id]
  }
  return { counts: [...counts.values()], is_capped: true }
}

/**
 * A count, or with `service` null the end of the step: whether more is left to count, and where the next step
 * begins.
 */
interface Step {
  service: number | null
  device_user_id: number | null
  count: number
  is_more: boolean | null
  t: number | null
  id: number | null
}

/** The statement of one step: at most `left` payloads are counted. */
function countSql(
  filter: ListFilter,
  after: ListKey,
  effort: Effort,
  left: number,
): { text: string; values: unknown[] } {
  const direction = getDirection(filter)
  const { text: keys, values } = keysSql(filter, after, effort)
  const rest = restSql(filter, values)
  const most = binder(values).bind(left, 'int')
  const text = `with k as materialized (${keys}),
  cut as materialized (select t, id from k where is_end ${inOrderSql(direction, 't', 'id')} limit 1),
  r as materialized (
    select k.t, k.id, p.service, p.device_user_id, ${rest} as is_found from k left join cut on true
    join payloads p on p.payload_id = k.id left join payload_documents o on o.payload_id = p.payload_id
    where not k.is_end and (cut.id is null or (k.t, k.id) ${direction.upTo} (cut.t, cut.id))),
  f as materialized (select * from r where is_found ${inOrderSql(direction, 't', 'id')} limit ${most})
  select service, device_user_id, count(*)::int as count, null::bool as is_more, null::bigint as t, null::bigint as id
  from f group by service, device_user_id
  union all
  select null, null, 0, (select count(*) from r where is_found) > ${most}, e.t, e.id from (select) one left join (
    select t, id from cut
    union all
    (select t, id from k where (select count(*) from k) = ${effort.keys} and not exists (select from cut)
      ${inOrderSql({ ...direction, way: direction.way === 'desc' ? 'asc' : 'desc' }, 't', 'id')} limit 1)) e on true`
  return { text, values }
}

/** The names of these people, by their ids. */
export async function findNames(
  q: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, PersonName>> {
  if (ids.length === 0) return new Map()
  const { rows } = await q.query<PersonName & { device_user_id: number }>(
    `select device_user_id, device_user_reference, first_name, surname from device_users
     where client_id = $1 and device_user_id = any($2)`,
    [q.client_id, ids],
  )
  return new Map(rows.map((row) => [row.device_user_id, row]))
}
