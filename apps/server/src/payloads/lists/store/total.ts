import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { END_OF_TIME, type Range, splitRange, startOf } from '../../../http/time-range.ts'
import { COUNTED_PARTS } from '../../state-store.ts'
import { directionOf, inOrderSql, type ListFilter } from './filter.ts'
import { restSql } from './rows.ts'
import { allOfRunsSql, equalSql, sinceSql, type Source, sourceOf } from './runs.ts'
import type { ScopePart } from './scope.ts'
import { countOf, type CountedRuns, type Runs } from './search.ts'
import { hash } from 'node:crypto'

const names = new Map<string, string>()
/**
 * Statement shapes are few (filters × parts of a scope), but roles multiply them; the rest is not prepared.
 */
const NAMES = 200

/**
 * Name of the prepared statement; undefined: not prepared. Planning is half of the cost of a short list, and
 * most of a total.
 */
export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= NAMES) return undefined
  const name = `list_${hash('sha256', text, 'base64url').slice(0, 20)}`
  names.set(text, name)
  return name
}

/** Type and group of the rows that count all of them. */
const ALL = 0

/** Tables with a row for each reviewed payload, under the empty name for any person. */
const REVIEWED = { heard: 'payload_opened', mark: 'payload_marked' } as const
type Review = keyof typeof REVIEWED

/** Which part of an unreviewed list this is: unheard or unmarked; undefined for other lists. */
function leftOver({ mark, heard, marked_by, knows }: ListFilter): Review | undefined {
  if (mark === undefined && heard === 'none' && knows.h) return 'heard'
  if (heard === undefined && mark === 'none' && marked_by === '' && knows.m) return 'mark'
  return undefined
}

const within = (column: string, [from, to]: Range, bind: Bind) =>
  `${column} >= ${bind(from, 'bigint')} and ${column} < ${bind(to, 'bigint')}`

/** Reviewed payloads that a total of unreviewed ones reads. */
const MOST_REVIEWED = 20_000

/** How many payloads of the list's scope and time were heard or marked; undefined: too many to count. */
async function reviewedTotal(q: Queryable, filter: ListFilter, review: Review): Promise<number | undefined> {
  const { bind, values } = binder([filter.client_id])
  const range = within('payload_time', [filter.from, filter.to], bind)
  const parts = filter.scope.map(
    (part) => `select count(*) filter (where true ${narrowing(part, bind)}) as found, count(*) as read from (
      select group_id, type from ${REVIEWED[review]} where client_id = $1 and person = ''
        and service = ${bind(part.service, 'smallint')} and ${range} limit ${MOST_REVIEWED}) x`,
  )
  const text = `select sum(found)::bigint as found, max(read) = ${MOST_REVIEWED} as is_cut from (${parts.join(' union all ')}) p`
  const { rows } = await q.query<{ found: number; is_cut: boolean }>(text, values, statementName(text))
  return rows[0]?.is_cut === false ? rows[0].found : undefined
}

async function sumOf(q: Queryable, sums: readonly string[], values: unknown[]): Promise<number> {
  if (sums.length === 0) return 0
  const text = `select (${sums.join(' + ')})::bigint as total`
  const { rows } = await q.query<{ total: number }>(text, values, statementName(text))
  return rows[0]?.total ?? 0
}

/** Rows read per part of the scope for each one that is counted; fewer when their texts are compared. */
const [READ_FOR_ONE, COMPARED_FOR_ONE] = [5, 1.5]
/** Entries of an index that are read for each of these rows. */
const SCANNED_FOR_ROW = 3
/** Rows of several runs that are read first. */
const FIRST_FOR_ONE = 2
/** Entries of the runs of two terms that are read for each one that is counted. */
const [CROSSED_FOR_ONE, CROSSED_WITH] = [15, 45]

/** The total of a list: exact and cheap from the counters, else counted up to `most`. */
export async function readListTotal(q: Queryable, filter: ListFilter, most = TOTAL_CAP): Promise<Total> {
  const { mark, heard, ...plain } = filter
  const isPlain = isCounted(plain)
  if (isPlain && mark === undefined && heard === undefined) return { total: await exactTotal(q, filter) }
  // The unreviewed payloads are all payloads less the reviewed ones.
  const review = isPlain && leftOver(filter)
  // Two statements could see different states.
  const reviewed = review && (await reviewedTotal(q, filter, review))
  if (typeof reviewed === 'number') return { total: Math.max(0, (await exactTotal(q, filter)) - reviewed) }
  return cappedTotal(q, filter, most)
}

/**
 * Whether the counters can answer: they know service, type, group and day of every payload that is not
 * deleted, duplicates apart.
 */
function isCounted(filter: Omit<ListFilter, 'mark' | 'heard'>): boolean {
  return (
    filter.date_filter === 'payload_time' &&
    !filter.has_states &&
    filter.is_late === undefined &&
    filter.is_altered === undefined &&
    filter.is_copy === false &&
    filter.has_receipt === undefined &&
    filter.is_held === undefined &&
    filter.device_id === undefined &&
    filter.device_user_id === undefined &&
    filter.number === undefined &&
    filter.search === undefined &&
    filter.payload_ids === undefined &&
    filter.thread_id === undefined
  )
}

async function exactTotal(q: Queryable, filter: ListFilter): Promise<number> {
  const values: unknown[] = [filter.client_id]
  const sums = filter.scope.flatMap((part) => sumsOf(filter, part, values))
  return sumOf(q, sums, values)
}

/** SQL of the summands of one part: whole years, months of a year, days of a month, and counted remainders. */
function sumsOf(filter: ListFilter, part: ScopePart, values: unknown[]): string[] {
  const { bind } = binder(values)
  const { years, months, days, seconds } = splitRange(filter.from, Math.min(filter.to, END_OF_TIME))
  if (years.length + months.length + days.length + seconds.length === 0) return []
  const service = `client_id = $1 and service = ${bind(part.service, 'smallint')}`
  // Bound only where it is used: PostgreSQL refuses parameters that no statement names.
  const counters =
    years.length + months.length + days.length > 0 &&
    `${service} and type = any(${bind(part.types ?? [ALL], 'smallint[]')}) and group_id = any(${bind(part.groups ?? [ALL], 'int[]')})`
  const summed = (what: string, grain: 'm' | 'y', starts: string) =>
    `(select coalesce(sum(${what}), 0) from payload_counts where ${counters} and grain = '${grain}' and ${starts})`
  /** Some parts of one row. Their weights are parameters, so that few texts are prepared. */
  const parts = (grain: 'm' | 'y', start: number, first: number, last: number) => {
    const weighted = Array.from(
      { length: grain === 'y' ? 12 : COUNTED_PARTS },
      (_, i) => `parts[${i + 1}] * ${bind(i + 1 >= first && i + 1 <= last ? 1 : 0, 'int')}`,
    )
    return summed(weighted.join(' + '), grain, `start = ${bind(start, 'bigint')}`)
  }
  const at = (seconds: number) => new Date(seconds * 1000)
  return [
    ...years.map((range) => summed('total', 'y', within('start', range, bind))),
    ...months.map(([from, to]) =>
      parts('y', startOf('year', from), at(from).getUTCMonth() + 1, at(to - 1).getUTCMonth() + 1),
    ),
    ...days.map(([from, to]) =>
      parts('m', startOf('month', from), at(from).getUTCDate(), at(to - 1).getUTCDate()),
    ),
    ...seconds.map(
      (range) => `(select count(*) from payloads where ${service} ${narrowing(part, bind)}
        and state = any(${bind(filter.states, 'smallint[]')}) and not is_copy and ${within('payload_time', range, bind)})`,
    ),
  ]
}

function narrowing(part: ScopePart, bind: Bind): string {
  return [
    ...(part.groups ? [`and group_id = any(${bind(part.groups, 'int[]')})`] : []),
    ...(part.types ? [`and type = any(${bind(part.types, 'smallint[]')})`] : []),
  ].join(' ')
}

async function cappedTotal(q: Queryable, filter: ListFilter, most: number): Promise<Total> {
  let total = 0
  let is_capped = false
  for (const part of filter.scope) {
    const { found, is_cut } = await countPart(q, filter, part, most)
    total += found
    is_capped ||= is_cut
    if (total > most) return { total: most, is_capped: true }
  }
  return is_capped ? { total, is_capped } : { total }
}

/**
 * The filter without what its source has already compared, by hashes of 64 bits. Reading the document of each row would
 * cost more than the rest of a total.
 */
function withoutFound(filter: ListFilter, { table, runs }: Source): ListFilter {
  const { search } = filter
  if (table === 'payload_numbers') return { ...filter, number: undefined }
  return search && runs && runs === search.runs
    ? { ...filter, search: { ...search, terms: search.asked } }
    : filter
}

interface Counted {
  found: number
  /** Whether more than the candidates may match. */
  is_cut: boolean
}

async function countPart(q: Queryable, filter: ListFilter, part: ScopePart, most: number): Promise<Counted> {
  const source = sourceOf(filter)
  const early = await countRuns(q, filter, source, part, most)
  if (early > most) return { found: early, is_cut: true }
  const { search } = withoutFound(filter, source)
  const read = most * (search && search.terms.length > 0 ? COMPARED_FOR_ONE : READ_FOR_ONE)
  const { text, values } = countSql(filter, source, part, most, read)
  const { rows } = await q.query<Counted>(text, values)
  const { found = 0, is_cut = true } = rows[0] ?? {}
  return { found: is_cut ? Math.max(found, early) : found, is_cut }
}

/**
 * At least so many match: by the first entries of the runs, or by the entries that runs of two terms share in the newest
 * time. Counts a search of frequent words without reading texts.
 */
async function countRuns(
  q: Queryable,
  filter: ListFilter,
  source: Source,
  part: ScopePart,
  most: number,
): Promise<number> {
  const first = runsToCount(filter, source)
  if (!first) return 0
  const { runs, and, asked } = first
  const { search } = filter
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const since = and ? '(select t from w)' : '$3::bigint'
  const conditions = `client_id = $1 and service = $2 and payload_time >= ${since} and payload_time < $4`
  const entries = (of: Runs, read: number) =>
    `select payload_id from (select * from (${allOfRunsSql(of, conditions, bind)}) x limit ${read * most}) e
      where true ${narrowing(part, bind)}`
  // Texts of few entries are compared for less than it costs to read the second term.
  const crossed = and
    ? `w as materialized (${sinceSql(runs, CROSSED_FOR_ONE * most, bind)}),
  a as materialized (${entries(runs, CROSSED_FOR_ONE)}),
  k as materialized (select payload_id from a intersect select payload_id from (${entries(and, CROSSED_WITH)}) b
    where (select count(*) from a) > ${COMPARED_FOR_ONE * most})`
    : `k as materialized (select distinct payload_id from (
    ${entries(runs, SCANNED_FOR_ROW * READ_FOR_ONE)} limit ${FIRST_FOR_ONE * most}) a)`
  const rest = restSql({ ...filter, search: search && { ...search, terms: asked } }, values)
  const text = `with ${crossed}
  select count(*) as found from (
    select from k join payloads p using (payload_id) left join payload_documents o on o.payload_id = p.payload_id
    where ${rest} limit ${most + 1}) m`
  const { rows } = await q.query<Pick<Counted, 'found'>>(text, values)
  return rows[0]?.found ?? 0
}

/** The runs whose entries are counted first; undefined: none are known, or there is only one. */
function runsToCount({ search }: ListFilter, source: Source): CountedRuns | undefined {
  const { table, time, equals, always, runs } = source
  if (table !== 'payloads' || time !== 'payload_time' || equals.length > 0 || always) return undefined
  if (search?.counted && (runs ?? search.runs) === search.runs) return search.counted
  return runs && countOf(runs) > 1 ? { runs, and: undefined, asked: search?.asked ?? [] } : undefined
}

/**
 * Counts the matches among a bounded number of candidates, the newest where the list has an order: `e` are entries of
 * an index, `c` those of the scope, whose rows are read.
 */
function countSql(
  filter: ListFilter,
  source: Source,
  part: ScopePart,
  most: number,
  read: number,
): { text: string; values: unknown[] } {
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const equals = source.equals.map((equal) => `and ${equalSql(equal, bind)}`)
  const conditions = `client_id = $1 and service = $2 ${equals.join(' ')} ${source.always ? `and ${source.always}` : ''}
      and ${source.time} >= $3 and ${source.time} < $4`
  const scanned = SCANNED_FOR_ROW * read
  const entries = (more = '') =>
    `select payload_id, group_id, type from ${source.table} where ${conditions} ${more}
      ${inOrderSql(directionOf(filter), source.time, 'payload_id')} limit ${scanned}`
  const candidates = source.runs
    ? `select * from (${allOfRunsSql(source.runs, conditions, bind)}) x limit ${scanned}`
    : part.groups && source.has_group_index
      ? `select x.* from unnest(${bind(part.groups, 'int[]')}) g (id) cross join lateral (${entries('and group_id = g.id')}) x limit ${scanned}`
      : entries()
  const rest = restSql(withoutFound(filter, source), values)
  const text = `with e as materialized (${candidates}),
  c as materialized (select payload_id from e where true ${narrowing(part, bind)} limit ${read}),
  f as materialized (select count(*) as found from (
    select from (${source.runs && countOf(source.runs) > 1 ? 'select distinct' : 'select'} payload_id from c) k
    join payloads p using (payload_id) left join payload_documents o on o.payload_id = p.payload_id where ${rest} limit ${most + 1}) m)
  select found, found > ${most} or (select count(*) from e) >= ${scanned} or (select count(*) from c) >= ${read} as is_cut from f`
  return { text, values }
}
