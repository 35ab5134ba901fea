import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from './binder.ts'
import type { Queryable } from './lease.ts'

/** A big table that is read newest first, or oldest first, with its SQL. */
export interface TimeOrdered {
  /** Alias `r` in all SQL below. */
  table: string
  /**
   * The time in epoch seconds, and the column that orders rows of the same second; both end every walked
   * index.
   */
  time: string
  id: string
  id_type: 'text' | 'bigint'
  /** A condition on `r` for all rows: the prefix of every walked index, behind the client. */
  only?: string
  /** The columns of a row, of `r` and of `joins`. */
  columns: string
  joins?: string
}

/** The requested rows. */
export interface WantedRows {
  /** Epoch seconds, inclusive. */
  from: number
  /** Epoch seconds, exclusive. */
  to: number
  /** Default: the newest first. Each index serves both directions. */
  isOldestFirst?: boolean | undefined
  /** An index column before the time: rows are read once per value. */
  walked?: { column: string; cast: string; values: readonly (number | string)[] } | undefined
  /** Further rows, found through another table, down to a place in time (SQL). Newest first only. */
  sideJoin?: { join: string; where: (bind: Bind, until: string) => string } | undefined
  /** Conditions on a row `r`, all of which must match; the most expensive last. */
  conditions: readonly ((bind: Bind) => string)[]
  /** Entries after which counting stops, when conditions are expensive. */
  counted?: number
  /**
   * What is searched may be out of the caller's reach: a search without a match goes on to its end, because a next page
   * or a capped total of nothing would show that it exists.
   */
  isHidden?: boolean
}

/** The place of a row. */
export type TimeKey = readonly [time: number, id: string | number]

export interface RowsPage<Row> {
  rows: Row[]
  /** Place after the page; absent on the last one. A page may have fewer rows than asked for and still have one. */
  next: TimeKey | undefined
}

/**
 * Index entries read by the first statement of a request, by each further one, and the number of statements.
 */
const SCANNED_FIRST = 1500
const SCANNED = 20_000
const ROUNDS = 5
/** Least entries per value of many: a value without matches costs no more than one. */
const MIN = 8
/** Counting stops after this many entries. */
const TOTAL_SCANNED = 10_000

/** The place before the first row. Ids begin at 1, so newest first this place excludes rows at `to`. */
const getStart = ({ id_type }: TimeOrdered, { from, to, isOldestFirst }: WantedRows): TimeKey => [
  isOldestFirst ? from : to,
  id_type === 'text' ? '' : 0,
]

/**
 * Reads at most `limit` rows behind a place (absent: from the first). The work of a request is bounded, so a
 * page of rare matches stays short and the next page continues.
 */
export async function readByTime<Row>(
  q: Queryable,
  of: TimeOrdered,
  wanted: WantedRows,
  limit: number,
  from: TimeKey | undefined,
): Promise<RowsPage<Row>> {
  let after = from ?? getStart(of, wanted)
  const rows: Row[] = []
  const keys: TimeKey[] = []
  let effort = firstEffort(wanted, limit)
  for (let round = 0; round < ROUNDS || (wanted.isHidden && rows.length === 0); round++) {
    const { text, values } = pageSql(q, of, wanted, after, effort, limit + 1 - rows.length)
    const [step] = await q.rows<Step<Row>>(text, values, 'unprepared')
    if (!step) break
    rows.push(...step.rows)
    keys.push(...step.keys)
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: keys[limit - 1] }
    if (!step.end_key) return { rows, next: undefined }
    after = step.end_key
    effort = furtherEffort(wanted, limit, effort, step.full)
  }
  return { rows, next: after }
}

/** Counts the requested rows up to a limit. */
export async function countByTime(q: Queryable, of: TimeOrdered, wanted: WantedRows): Promise<Total> {
  const limit = wanted.conditions.length > 0 ? (wanted.counted ?? TOTAL_SCANNED) : TOTAL_CAP + 1
  const { bind, values } = binder()
  const scan = scanSql(q, of, wanted, getStart(of, wanted), { most: limit, full: [], of_full: limit }, bind)
  // The entries are read up to the match that is one too many.
  const { rows } = await q.query<{ found: number; is_capped: boolean }>(
    `with c as materialized (select is_match from (${scan}) s limit ${limit}),
       f as materialized (select count(*)::int as found from (select from c where is_match limit ${TOTAL_CAP + 1}) m)
     select least(found, ${TOTAL_CAP}) as found, found > ${TOTAL_CAP} or (select count(*) from c) >= ${limit} as is_capped from f`,
    values,
    'unprepared',
  )
  const { found: total = 0, is_capped = false } = rows[0] ?? {}
  if (is_capped && total === 0 && wanted.isHidden) {
    const first = await readByTime(q, of, wanted, 1, undefined)
    if (first.rows.length === 0) return { total }
  }
  return is_capped ? { total, is_capped } : { total }
}

interface Step<Row> {
  /** The result is complete up to here; null at the end. */
  end_key: TimeKey | null
  rows: Row[]
  keys: TimeKey[]
  /** Values with more entries than were read. */
  full: (number | string)[]
}

/** Limits of the entries to read. */
interface Effort {
  /** Of one value at most. */
  most: number
  /** The values with more entries, and the limit for each. */
  full: readonly (number | string)[]
  of_full: number
}

function firstEffort({ walked, conditions }: WantedRows, limit: number): Effort {
  const values = walked?.values.length || 1
  // Of many values a page takes few rows each, unless most have no matches.
  const entries = conditions.length > 0 ? SCANNED_FIRST : 2 * (limit + 1)
  const most = values === 1 && conditions.length === 0 ? limit + 1 : shared(entries, values)
  return { most, full: [], of_full: most }
}

/**
 * Reads further entries of unfinished values: the fewer hold back the page, the deeper. The other values have
 * fewer entries left than their limit, so the request stays bounded.
 */
function furtherEffort(
  { walked, conditions }: WantedRows,
  limit: number,
  before: Effort,
  full: readonly (number | string)[],
): Effort {
  const values = walked?.values.length || 1
  if (conditions.length === 0) return { most: limit + 1, full: [], of_full: limit + 1 }
  if (full.length === 0 || full.length === values) {
    const most = shared(SCANNED, values)
    return { most: Math.max(most, before.of_full), full: [], of_full: Math.max(most, before.of_full) }
  }
  return { most: before.of_full, full, of_full: shared(SCANNED, full.length) }
}

const shared = (entries: number, values: number): number => Math.max(MIN, Math.ceil(entries / values))

/**
 * Reads a bounded number of entries and fetches only the matching rows. A value with more entries is complete
 * up to its last read one; the first of those ends the page.
 */
function pageSql(
  q: Queryable,
  of: TimeOrdered,
  wanted: WantedRows,
  after: TimeKey,
  effort: Effort,
  limit: number,
): { text: string; values: unknown[] } {
  const { bind, values } = binder()
  const [direction, upTo] = wanted.isOldestFirst ? ['asc', '<='] : ['desc', '>=']
  const text = `
    with c as materialized (${scanSql(q, of, wanted, after, effort, bind, true)}),
      e as materialized (select at, id from c where n = most order by at ${direction}, id ${direction} limit 1),
      f as materialized (select c.at, c.id from c left join e on true
        where c.is_match and (e.at is null or (c.at, c.id) ${upTo} (e.at, e.id)) order by c.at ${direction}, c.id ${direction} limit ${limit})
    select (select json_build_array(at, id) from e) as end_key,
      coalesce((select json_agg(value) from c where n = most and value is not null), '[]') as full,
      coalesce((select json_agg(json_build_array(at, id) order by at ${direction}, id ${direction}) from f), '[]') as keys,
      coalesce((select json_agg(x) from (
        select ${of.columns} from f join ${of.table} r on r.client_id = ${bind(q.client_id, 'int')} and r.${of.id} = f.id and r.${of.time} = f.at ${onlySql(of)}
        ${of.joins ?? ''} order by f.at ${direction}, f.id ${direction}) x), '[]') as rows`
  return { text, values }
}

const onlySql = ({ only }: TimeOrdered): string => (only === undefined ? '' : `and ${only}`)

/**
 * The keys of the next entries behind a place, up to the limit per value, each with whether it matches. With
 * `number` also its position, limit and value. The time is a condition of its own, because it chooses the
 * partitions.
 */
function scanSql(
  q: Queryable,
  of: TimeOrdered,
  { from, to, isOldestFirst, walked, sideJoin, conditions }: WantedRows,
  after: TimeKey,
  effort: Effort,
  bind: Bind,
  number = false,
): string {
  const [time, id] = [bind(after[0], 'bigint'), bind(after[1], of.id_type)]
  const is_match = conditions.map((condition) => condition(bind)).join(' and ') || 'true'
  const client = bind(q.client_id, 'int')
  const at = `r.${of.time}`
  const [direction, bounds] = isOldestFirst
    ? ['asc', `${at} >= ${time} and ${at} < ${bind(to, 'bigint')} and (${at}, r.${of.id}) > (${time}, ${id})`]
    : [
        'desc',
        `${at} >= ${bind(from, 'bigint')} and ${at} <= ${time} and (${at}, r.${of.id}) < (${time}, ${id})`,
      ]
  const scan = (most: number, value: string, narrowing: string, join = '') => {
    const entries = `select ${at} as at, r.${of.id} as id, ${is_match} as is_match from ${of.table} r ${join}
      where r.client_id = ${client} ${onlySql(of)} and ${bounds} ${narrowing}
      order by ${at} ${direction}, r.${of.id} ${direction} limit ${most}`
    return number
      ? `select s.*, row_number() over (order by s.at ${direction}, s.id ${direction}) as n, ${most} as most, ${value} as value from (${entries}) s`
      : entries
  }
  if (!walked) return scan(effort.most, 'null::int', '')
  const each = (values: readonly (number | string)[], most: number) =>
    `select s.* from unnest(${bind(values, `${walked.cast}[]`)}) as v
    cross join lateral (${scan(most, 'v', `and r.${walked.column} = v`)}) s`
  const { most, full, of_full } = effort
  // The database may return numbers as another type.
  const isFull = new Set(full.map(String))
  const parts = [
    each(
      walked.values.filter((value) => !isFull.has(String(value))),
      most,
    ),
  ]
  if (full.length > 0) parts.push(each(full, of_full))
  if (sideJoin)
    parts.push(
      `(${scan(of_full, `null::${walked.cast}`, `and ${sideJoin.where(bind, time)}`, sideJoin.join)})`,
    )
  return parts.join(' union all ')
}
