import type { Service } from '@custodia/contract'
import { binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { serviceOfCode } from '../../../payload-records/codes.ts'
import { directionOf, inOrderSql } from './direction.ts'
import type { Effort } from './effort.ts'
import type { ListFilter } from './filter.ts'
import { keysSql } from './keys.ts'
import { firstPlace } from './page.ts'
import type { ListKey } from './place.ts'
import { restSql } from './rows.ts'
import { statementName } from './statement-name.ts'
import type { PersonName } from './suggest.ts'

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
export interface ContactCounts {
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
    const { text, values } = countSql(filter, after, { keys: most + 1, scanned }, left)
    const { rows } = await q.query<Step>(text, values, statementName(text))
    for (const { service, device_user_id, count } of rows) {
      if (service === null) continue
      const key = `${service} ${device_user_id}`
      const known = counts.get(key)
      counts.set(key, {
        service: serviceOfCode(service),
        device_user_id,
        count: count + (known?.count ?? 0),
      })
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
  const direction = directionOf(filter)
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
    'contact_names',
  )
  return new Map(rows.map((row) => [row.device_user_id, row]))
}
