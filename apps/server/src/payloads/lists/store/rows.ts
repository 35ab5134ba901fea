import { ALTERED_FAILURES, type ListExtra, PAYLOAD_STATES, type PayloadState } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { PERSON_NAME } from '../../../device-records/names-store.ts'
import { heldPayload } from '../../../held-records/store.ts'
import { timeRange } from '../../../http/time-range.ts'
import { STATE_CODES, stateOfCode, typeOfCode } from '../../../payload-records/codes.ts'
import { type Bind, binder, isAmong } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { lanesSql } from '../../lanes-sql.ts'
import type { Effort } from './effort.ts'
import { getDirection, inOrderSql, type ListFilter, type ListQuery, resolveFilter } from './filter.ts'
import { keysSql, payloadsSql } from './keys.ts'
import type { ListKey } from './place.ts'
import { allOfRunsSql, equalSql, getSource } from './runs.ts'
import type { ScopePart } from './scope.ts'
import { searchSql } from './search.ts'

/** SQL: whether any person, or the given one, has marked or heard payload `p`. */
const has = (table: 'payload_marked' | 'payload_opened', person: string, more = '') =>
  `exists (select from ${table} r where r.client_id = p.client_id and r.payload_id = p.payload_id and r.person = ${person}${more})`
const ANY_PERSON = `''`

/** Conditions on marks and hearers of payload `p`, within the scopes where the reader may see them. */
function reviewSql(filter: ListFilter, bind: Bind): string[] {
  const { mark, heard, marked_by, reader } = filter
  const conditions: string[] = []
  if (mark !== undefined) {
    const person = marked_by === '' ? ANY_PERSON : bind(marked_by, 'text')
    conditions.push(
      lanesSql(filter.marks_lanes, bind, 'p'),
      mark === 'none'
        ? `not ${has('payload_marked', person)}`
        : has('payload_marked', person, ` and r.mark = ${bind(mark, 'text')}`),
    )
  }
  if (heard !== undefined) {
    const byAny = has('payload_opened', ANY_PERSON)
    const byMe = () => has('payload_opened', bind(reader, 'text'))
    conditions.push(lanesSql(filter.heard_lanes, bind, 'p'))
    if (heard === 'me') conditions.push(byMe())
    else conditions.push(heard === 'none' ? `not ${byAny}` : `${byAny} and not ${byMe()}`)
  }
  return conditions
}

/** The last mark of a row, where the reader may see it. */
const markExtra = (filter: ListFilter, bind: Bind): Extra => ({
  table: `left join payload_marked mk on mk.client_id = p.client_id and mk.payload_id = p.payload_id and mk.person = ''
    and ${lanesSql(filter.marks_lanes, bind, 'p')}`,
  columns: ['mk.mark'],
})

/** Who has heard the payload, where the reader may see it. */
const heardExtra = (filter: ListFilter, bind: Bind): Extra => ({
  table: `left join payload_opened ha on ha.client_id = p.client_id and ha.payload_id = p.payload_id and ha.person = ''
    left join payload_opened hm on hm.client_id = p.client_id and hm.payload_id = p.payload_id and hm.person = ${bind(filter.reader, 'text')}`,
  columns: [
    `case when ${lanesSql(filter.heard_lanes, bind, 'p')} then case when hm.person is not null then 'me'
      when ha.person is not null then 'others' else 'none' end end as heard`,
  ],
})

export interface KeyedRow {
  t: number
  id: number
  is_end: boolean
  /** Whether the payload matches the other filters. */
  is_found: boolean
  type: number
  state: number
  claimed_time: number | null
  payload_time: number
  /** JSON text of what never changes. */
  list_doc: string | null
  /** In the form of the contract. */
  [column: string]: unknown
}

const OTHER_COLUMNS: ReadonlySet<string> = new Set([
  't',
  'id',
  'is_end',
  'is_found',
  'type',
  'state',
  'claimed_time',
  'payload_time',
  'list_doc',
])

/** The columns of a row in the form of the contract. One without a value is left out, except the device user. */
const ROW_COLUMNS = [
  'p.payload_reference',
  'v.device_reference',
  'v.model as device_model',
  'u.device_user_reference',
  `${PERSON_NAME('u')} as person_name`,
  'g.group_reference as "group"',
  'p.is_late',
  'p.is_legacy',
  'p.uploaded_at',
  'p.processed_at',
  'p.updated_at',
  'p.failure',
]

/** The same of a row that is counted. */
const COUNTED_COLUMNS = ['p.payload_reference', 'p.processed_at']

/**
 * The JSON text of a list row (contract: PayloadSummary). PostgreSQL would need more CPU to build it; the prepared document
 * is not parsed.
 */
export function rowText(row: KeyedRow): string {
  const { type, state, claimed_time, payload_time, list_doc } = row
  let text = `{"payload_type":"${typeOfCode(type)}","payload_state":"${stateOfCode(state)}","payload_time":${claimed_time ?? payload_time}`
  if (claimed_time !== null) text += `,"listed_at":${payload_time}`
  for (const name in row)
    if (!OTHER_COLUMNS.has(name) && (row[name] !== null || name === 'device_user_reference'))
      text += `,"${name}":${JSON.stringify(row[name])}`
  return `${text}${list_doc !== null && list_doc.length > 2 ? `,${list_doc.slice(1)}` : '}'}`
}

/** Further columns of a row. */
interface Extra {
  table: string
  columns: readonly string[]
}

/** Optional row fields. The page reads legal holds (`page.ts`). */
const EXTRAS: Readonly<Record<Exclude<ListExtra, 'held'>, (filter: ListFilter, bind: Bind) => Extra>> = {
  mark: markExtra,
  heard: heardExtra,
  receipt: () => ({
    table: `left join lateral (
      select confirmed_at, client_app_user, is_person from payload_receipts r
      where r.client_id = p.client_id and r.payload_id = p.payload_id order by confirmed_at desc, client_app_user limit 1) rc on true`,
    columns: [
      'rc.confirmed_at as receipt_confirmed_at',
      'rc.client_app_user as receipt_confirmed_by',
      'rc.is_person as receipt_is_of_person',
    ],
  }),
}

/** The join of the document of a payload `p`. */
export const DOCUMENTS = 'left join payload_documents o on o.payload_id = p.payload_id'
/** The joins of a row, in addition to `payloads p`. */
export const ROW_TABLES: string = `join devices v on v.device_id = p.device_id
  join groups g on g.group_id = p.group_id
  left join device_users u on u.device_user_id = p.device_user_id
  ${DOCUMENTS}`

/** The conditions without an index. */
export function restSql(filter: ListFilter, values: unknown[]): string {
  const { bind } = binder(values)
  const conditions = [`p.state = any(${bind(filter.states, 'smallint[]')})`]
  if (filter.is_copy !== undefined) conditions.push(filter.is_copy ? 'p.is_copy' : 'not p.is_copy')
  if (filter.has_receipt !== undefined)
    conditions.push(
      `${filter.has_receipt ? '' : 'not '}exists (select from payload_receipts r where r.client_id = p.client_id and r.payload_id = p.payload_id)`,
    )
  if (filter.is_held !== undefined)
    conditions.push(`${filter.is_held ? '' : 'not '}${heldPayload(bind(filter.client_id, 'int'))}`)
  conditions.push(...reviewSql(filter, bind))
  if (filter.is_altered !== undefined)
    conditions.push(
      `(p.failure is not null and p.failure = any(${bind(ALTERED_FAILURES, 'text[]')})) = ${filter.is_altered}`,
    )
  if (filter.is_late !== undefined) conditions.push(`p.is_late = ${bind(filter.is_late, 'boolean')}`)
  if (filter.limited) conditions.push(`p.device_user_id = any(${bind(filter.limited, 'int[]')})`)
  if (filter.device_id !== undefined) conditions.push(`p.device_id = ${bind(filter.device_id, 'int')}`)
  if (filter.device_user_id !== undefined)
    conditions.push(`p.device_user_id = ${bind(filter.device_user_id, 'int')}`)
  if (filter.processed) {
    const [from, to] = filter.processed.map((at) => bind(at, 'bigint'))
    conditions.push(`p.processed_at >= ${from} and p.processed_at < ${to}`)
  }
  if (filter.thread_id !== undefined) conditions.push(`o.thread_id = ${bind(filter.thread_id, 'text')}`)
  // The hash finds it; the text confirms it. Numbers have their commas replaced, see `partyNumbers`.
  if (filter.number !== undefined) {
    const number = bind(filter.number.replaceAll(',', ' '), 'text')
    conditions.push(`${number} = any(string_to_array(o.all_numbers, ','))`)
  }
  if (filter.search)
    conditions.push(...filter.search.terms.map((term) => searchSql(term, filter.client_id, bind)))
  return conditions.join(' and ')
}

/** SQL: conditions of the groups and types of a part of the scope. */
export function narrowing(part: ScopePart, bind: Bind): string {
  return [
    ...(part.groups ? [`and ${isAmong('group_id', bind(part.groups, 'int[]'))}`] : []),
    ...(part.types ? [`and type = any(${bind(part.types, 'smallint[]')})`] : []),
  ].join(' ')
}

/**
 * SQL of a total for a reader who is limited to legal matters: counts up to `most` payloads of the `people` in them, of the
 * first `scanned`. Nearly all match, so each is read once, in any order.
 */
export function limitedSql(
  filter: ListFilter,
  people: readonly number[],
  part: ScopePart,
  { most, scanned }: { most: number; scanned: number },
): { text: string; values: unknown[] } {
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const entries = `from payloads where client_id = $1 and device_user_id = any(${bind(people, 'int[]')})
    and service = $2 and payload_time >= $3 and payload_time < $4 limit ${scanned}`
  const narrow = narrowing(part, bind)
  const rest = restSql({ ...filter, limited: undefined }, values)
  const text = `with f as materialized (select count(*) as found from (
    select from (select * ${entries}) p ${DOCUMENTS} where ${rest} ${narrow} limit ${most + 1}) m)
  select found, found > ${most} or (select count(*) from (select ${entries}) e) >= ${scanned} as is_cut from f`
  return { text, values }
}

/** The statement of one step through a list: `KeyedRow`s, in the order of the filter. */
export function rowsSql(
  filter: ListFilter,
  after: ListKey,
  effort: Effort,
): { text: string; values: unknown[] } {
  const whole = payloadsSql(filter, after, effort)
  const { text: keys, values } = whole ?? keysSql(filter, after, effort)
  const rest = restSql(filter, values)
  const extras = filter.include.flatMap((name) =>
    name === 'held' ? [] : EXTRAS[name](filter, binder(values).bind),
  )
  const [columns, tables] = filter.isCount ? [COUNTED_COLUMNS, DOCUMENTS] : [ROW_COLUMNS, ROW_TABLES]
  const shown = [...columns, ...extras.flatMap((extra) => extra.columns)]
  const [k, head, from] = whole
    ? ['p', '', `(${keys}) p`]
    : ['k', `with k as materialized (${keys})\n`, 'k join payloads p on p.payload_id = k.id']
  const sql = `${head}select ${k}.t, ${k}.id, ${k}.is_end, (${rest}) as is_found, p.type, p.state, p.claimed_time, p.payload_time,
  o.list_doc, ${shown.join(', ')}
from ${from} ${tables} ${extras.map(({ table }) => table).join(' ')}
${inOrderSql(getDirection(filter), `${k}.t`, `${k}.id`)}, ${k}.is_end`
  return { text: sql, values }
}

/**
 * SQL for the ids of all payloads of a list, in any state, duplicates included, each once; undefined: none. A count by
 * it equals what the caller could list.
 * @param values those of the enclosing statement; this function appends its own
 */
export async function everyPayloadSql(
  q: Queryable,
  access: Access,
  query: Pick<ListQuery, 'device_user_reference' | 'number' | 'search'>,
  values: unknown[],
): Promise<string | undefined> {
  const filter = await resolveFilter(q, access, 'payloads:list', {
    ...query,
    states: [...PAYLOAD_STATES],
    date_filter: 'payload_time',
    order: 'newest',
  })
  return filter && matchingIdsSql({ ...filter, is_copy: undefined }, values)
}

/** Counts these in one state and time range. */
export async function countEveryPayload(
  q: Queryable,
  access: Access,
  { from, to, ...query }: Parameters<typeof everyPayloadSql>[2] & Pick<ListQuery, 'from' | 'to'>,
  state: PayloadState,
): Promise<number> {
  const values: unknown[] = []
  const ids = await everyPayloadSql(q, access, query, values)
  if (ids === undefined) return 0
  const { bind } = binder(values)
  const range = timeRange({ from, to })
  const is = [
    `p.client_id = ${bind(q.client_id, 'int')} and p.state = ${bind(STATE_CODES[state], 'smallint')}`,
    `p.payload_time >= ${bind(range.from, 'bigint')} and p.payload_time < ${bind(range.to, 'bigint')}`,
  ]
  return q.count(
    `select count(*)::int as count from (${ids}) x join payloads p using (payload_id) where ${is.join(' and ')}`,
    values,
    'unprepared',
  )
}

/**
 * SQL for the ids of the payloads that match a filter, in any time, each once.
 * @param values those of the enclosing statement; this function appends its own
 */
export function matchingIdsSql(filter: ListFilter, values: unknown[]): string {
  const { bind } = binder(values)
  const source = getSource(filter)
  const client_id = bind(filter.client_id, 'int')
  const parts = filter.scope.map(({ service, groups, types }) => {
    const conditions = [
      `client_id = ${client_id}`,
      `service = ${bind(service, 'smallint')}`,
      ...source.equals.map((equal) => equalSql(equal, bind)),
      ...(groups ? [`group_id = any(${bind(groups, 'int[]')})`] : []),
      ...(types ? [`type = any(${bind(types, 'smallint[]')})`] : []),
      ...(source.always ? [source.always] : []),
    ].join(' and ')
    return source.runs
      ? `select payload_id from (${allOfRunsSql(source.runs, conditions, bind)}) r`
      : `select payload_id from ${source.table} where ${conditions}`
  })
  return `select p.payload_id from (select distinct payload_id from (${parts.join(' union all ')}) c) k
    join payloads p using (payload_id) ${ROW_TABLES} where ${restSql(filter, values)}`
}
