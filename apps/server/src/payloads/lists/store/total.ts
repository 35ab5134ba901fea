import { type Total, TOTAL_CAP } from '@custodia/contract'
import { END_OF_TIME, splitRange, getStart } from '../../../http/time-range.ts'
import { STATE_CODES } from '../../../payload-records/codes.ts'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { COUNTED_PARTS } from '../../state-store.ts'
import { getDirection, inOrderSql, type ListFilter } from './filter.ts'
import { leftOut, leftOutTotal, within } from './left-out.ts'
import { DOCUMENTS, limitedSql, narrowing, restSql } from './rows.ts'
import { allOfRunsSql, byState, equalSql, sinceSql, type Source, getSource, statesKnown } from './runs.ts'
import type { ScopePart } from './scope.ts'
import { getCount, type CountedRuns, type Runs } from './search.ts'

/** Type and group of the rows that count all of them. */
const ALL = 0

async function getSum(q: Queryable, sums: readonly string[], values: unknown[]): Promise<number> {
  if (sums.length === 0) return 0
  const text = `select (${sums.join(' + ')})::bigint as total`
  return q.count(text, values)
}

/** Rows read per part of the scope for each one that is counted; fewer when their texts are compared. */
const [READ_FOR_ONE, COMPARED_FOR_ONE] = [5, 1.5]
/** Entries of an index that are read for each of these rows. */
const SCANNED_FOR_ROW = 3
/** Rows of several runs that are read first, and entries where no row is read. */
const [FIRST_FOR_ONE, ENTRIES_FOR_ONE] = [2, 1.2]
/** Entries of the runs of two terms that are read for each one that is counted. */
const [CROSSED_FOR_ONE, CROSSED_WITH] = [5, 45]

/** The total of a list: exact and cheap from the counters, else counted up to `most`. */
export async function readListTotal(q: Queryable, filter: ListFilter, most = TOTAL_CAP): Promise<Total> {
  const { mark, heard, has_receipt, ...plain } = filter
  const isPlain = isCounted(plain)
  if (isPlain && mark === undefined && heard === undefined && has_receipt === undefined)
    return { total: await exactTotal(q, filter) }
  // The total of all payloads less those that the list leaves out.
  const kind = isPlain ? leftOut(filter) : undefined
  // Two statements could see different states.
  const others = kind && (await leftOutTotal(q, filter, kind))
  if (others !== undefined) return { total: Math.max(0, (await exactTotal(q, filter)) - others) }
  return cappedTotal(q, filter, most)
}

/**
 * Whether the counters can answer: they know service, type, group and day of every payload that is not
 * deleted, duplicates apart.
 */
function isCounted(filter: Omit<ListFilter, 'mark' | 'heard' | 'has_receipt'>): boolean {
  return (
    filter.date_filter === 'payload_time' &&
    !filter.has_states &&
    filter.is_late === undefined &&
    filter.is_altered === undefined &&
    filter.is_copy === false &&
    filter.is_held === undefined &&
    filter.limited === undefined &&
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
  const sums = filter.scope.flatMap((part) => getSums(filter, part, values))
  return getSum(q, sums, values)
}

/** SQL of the summands of one part: whole years, months of a year, days of a month, and counted remainders. */
function getSums(filter: ListFilter, part: ScopePart, values: unknown[]): string[] {
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
      parts('y', getStart('year', from), at(from).getUTCMonth() + 1, at(to - 1).getUTCMonth() + 1),
    ),
    ...days.map(([from, to]) =>
      parts('m', getStart('month', from), at(from).getUTCDate(), at(to - 1).getUTCDate()),
    ),
    ...seconds.map(
      (range) => `(select count(*) from payloads where ${service} ${narrowing(part, bind)}
        and state = any(${bind(filter.states, 'smallint[]')}) and not is_copy and ${within('payload_time', range, bind)})`,
    ),
  ]
}

async function cappedTotal(q: Queryable, filter: ListFilter, most: number): Promise<Total> {
  let total = 0
  let is_capped = false
  const parts = byState(filter).flatMap((one) => one.scope.map((part) => ({ one, part })))
  for (const { one, part } of parts) {
    const { found, is_cut } = await countPart(q, one, part, most)
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
function withoutFound(filter: ListFilter, { table, runs, equals }: Source): ListFilter {
  const { search } = filter
  if (table === 'payload_numbers') return { ...filter, number: undefined }
  const [equal] = equals
  if (equal?.column === 'device_id') return { ...filter, device_id: undefined }
  if (equal?.column === 'device_user_id') return { ...filter, device_user_id: undefined }
  return search && runs && runs === search.runs
    ? { ...filter, search: { ...search, terms: search.asked } }
    : filter
}

interface FoundCount {
  found: number
  /** Whether more than the candidates may match. */
  is_cut: boolean
}

async function countPart(
  q: Queryable,
  filter: ListFilter,
  part: ScopePart,
  most: number,
): Promise<FoundCount> {
  const source = getSource(filter)
  if (filter.limited && source.runs?.people === filter.limited) {
    const scanned = SCANNED_FOR_ROW * READ_FOR_ONE * most
    const { text, values } = limitedSql(filter, filter.limited, part, { most, scanned })
    return (await q.row<FoundCount>(text, values, 'unprepared')) ?? { found: 0, is_cut: true }
  }
  const { is_done, ...early } = await countEarly(q, filter, source, part, most)
  if (is_done) return early
  const { search } = withoutFound(filter, source)
  const isCompared = search !== undefined && search.terms.length > 0
  const read = most * (isCompared ? COMPARED_FOR_ONE : READ_FOR_ONE)
  const of_part = { ...filter, search: undefined, scope: [part] }
  const isWhole =
    !isCompared || early.found === 0 || !isCounted(of_part) || (await exactTotal(q, of_part)) <= read
  if (!isWhole) return { found: early.found, is_cut: true }
  const { text, values } = countSql(filter, source, part, most, read, isCompared && early.found > 0)
  const { rows } = await q.query<FoundCount>(text, values)
  const { found = 0, is_cut = true } = rows[0] ?? {}
  return { found: is_cut ? Math.max(found, early.found) : found, is_cut }
}

/** At least so many match. `is_done`: the whole count would find no more. */
type Early = FoundCount & { is_done: boolean }

/** Counts by less than the whole count reads. */
async function countEarly(
  q: Queryable,
  filter: ListFilter,
  source: Source,
  part: ScopePart,
  most: number,
): Promise<Early> {
  const entries = getEntries(filter, source)
  if (entries) {
    const { text, values } = entriesSql(filter, entries, part, most)
    const { rows } = await q.query<{ found: number | null; is_whole: boolean }>(text, values)
    const { found = null, is_whole = false } = rows[0] ?? {}
    if (found !== null)
      return {
        found,
        is_cut: found > most || !is_whole,
        is_done: found > most || !is_whole || entries.is_all,
      }
  }
  if (!part.groups || !source.has_group_index) return countRuns(q, filter, source, part, most)
  // The newest entries of all groups are close together, unless few are of these groups.
  const { text, values } = countSql(
    filter,
    { ...source, has_group_index: false },
    part,
    most,
    FIRST_FOR_ONE * most,
  )
  const { rows } = await q.query<FoundCount>(text, values)
  const found = rows[0]?.found ?? 0
  return { found, is_cut: true, is_done: found > most }
}

/** The conditions of a list that shows neither deleted payloads nor duplicates, and has no other filter. */
const NOT_REMOVED = 'p.state = any($1::smallint[]) and not p.is_copy'
const isPlain = (filter: ListFilter) => !filter.has_states && restSql(filter, []) === NOT_REMOVED

/** Entries that all match, deleted payloads and duplicates apart. */
interface Entries {
  source: Source
  /** Further payloads that may match; their rows are read, unless they are among the entries. */
  others?: Runs
  /** Whether these are all that match. */
  is_all: boolean
}

/** The entries by which the list is counted; undefined: rows must be read. */
function getEntries(filter: ListFilter, source: Source): Entries | undefined {
  if (source.time !== 'payload_time') return undefined
  const { search, held } = filter
  // The payloads of a held person are held, whichever device has them.
  if (held && source.runs === held && held.people.length > 0)
    return isPlain({ ...filter, is_held: undefined })
      ? {
          source: { ...source, runs: { ...held, devices: [], payloads: [] } },
          others: { ...held, people: [] },
          is_all: true,
        }
      : undefined
  const first = source.runs ? undefined : runsToCount(filter, source)
  if (first && first.and === undefined)
    return isPlain({ ...filter, search: search && { ...search, terms: first.asked } })
      ? { source: { ...source, runs: first.runs }, is_all: false }
      : undefined
  return isPlain(withoutFound(filter, source)) ? { source, is_all: true } : undefined
}

/** Counts entries of the source without reading their rows. Null: too many payloads are deleted in their time. */
function entriesSql(
  filter: ListFilter,
  { source, others, is_all }: Entries,
  part: ScopePart,
  most: number,
): { text: string; values: unknown[] } {
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const conditions = entryConditions(source, bind)
  const entries = source.runs
    ? allOfRunsSql(source.runs, conditions, bind)
    : `select payload_id, group_id, type, payload_time from ${source.table} where ${conditions}
        order by payload_time desc, payload_id desc`
  const [scanned, read, gone] = [
    SCANNED_FOR_ROW * READ_FOR_ONE * most,
    ENTRIES_FOR_ONE * most,
    FIRST_FOR_ONE * most,
  ]
  const since = '(select min(payload_time) from k)'
  const inScope = narrowing(part, bind)
  const isShort = `(select count(*) from k) < ${read}`
  const hasOthers = others !== undefined && getCount(others) > 0
  // The rows of the others are read, and only when more can count.
  const further = hasOthers
    ? `, o as materialized (select * from (${allOfRunsSql(others, conditions, bind)}) x limit ${scanned}),
  f as materialized (select distinct payload_id from o
    where ${isShort} and (payload_id in (select payload_id from k) is not true) ${inScope} limit ${read}),
  m as materialized (select count(*) as found from f join payloads p using (payload_id) ${DOCUMENTS} where ${restSql(filter, values)})`
    : ''
  const [isWhole, more] = hasOthers
    ? [
        `(select count(*) from o) < ${scanned} and (select count(*) from f) < ${read}`,
        '+ (select found from m)',
      ]
    : ['true', '']
  const text = `with e as ${is_all ? 'materialized' : 'not materialized'} (select * from (${entries}) x limit ${scanned}),
  k as materialized (select payload_id, payload_time from e where true ${inScope} limit ${read}),
  r as materialized (select payload_id from (${removedSql(since, statesKnown(source), bind)}) x limit ${gone})${further}
  select case when (select count(*) from r) < ${gone} then (
      select count(distinct payload_id) from k where payload_id not in (select payload_id from r)) ${more} end as found,
    case when ${isShort} then ${is_all ? `(select count(*) from e) < ${scanned} and ${isWhole}` : 'true'} else false end as is_whole`
  return { text, values }
}

/** SQL of the ids of deleted payloads and duplicates since a time. */
function removedSql(since: string, states: readonly number[], bind: Bind): string {
  const place = `client_id = $1 and service = $2 and payload_time >= ${since} and payload_time < $4`
  return `select payload_id from payload_removed where ${place} and state = any(${bind(states, 'smallint[]')})
    union all select payload_id from payloads where ${place} and is_copy`
}

const entryConditions = (source: Source, bind: Bind): string =>
  [
    'client_id = $1',
    'service = $2',
    ...source.equals.map((equal) => equalSql(equal, bind)),
    ...(source.always ? [source.always] : []),
    `${source.time} >= $3`,
    `${source.time} < $4`,
  ].join(' and ')

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
): Promise<Early> {
  const first = runsToCount(filter, source)
  if (!first) return { found: 0, is_cut: true, is_done: false }
  const { runs, and, asked } = first
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const since = and ? '(select t from w)' : '$3::bigint'
  const conditions = `client_id = $1 and service = $2 and payload_time >= ${since} and payload_time < $4`
  const all = (of: Runs, n: number) =>
    `select * from (${allOfRunsSql(of, conditions, bind)}) x limit ${n * most}`
  const seen = narrowing(part, bind).replace(/^and /, '') || 'true'
  // Texts of few entries are compared for less than it costs to read the second term.
  const compared = COMPARED_FOR_ONE * most
  const read = and ? CROSSED_FOR_ONE : SCANNED_FOR_ROW * READ_FOR_ONE
  const entries = `(${all(runs, read)}) e`
  const isFrequent = and ? '(select is_frequent from n)' : 'false'
  const crossed = and
    ? `w as materialized (${sinceSql(runs, CROSSED_FOR_ONE * most, bind)}),
  n as materialized (
    select (is_part and exists (select from ${entries} offset ${most - 1})) or (
      select count(*) filter (where ${seen}) > ${compared} or count(*) >= ${SCANNED_FOR_ROW * compared} from ${entries}) as is_frequent from w),
  k as materialized (select payload_id from (${all(and, CROSSED_WITH)}) b
    where (payload_id in (select payload_id from ${entries} where ${seen}) is true) and ${isFrequent})`
    : `k as materialized (select distinct payload_id from (
    select payload_id from ${entries} where ${seen} limit ${FIRST_FOR_ONE * most}) a)`
  const left = { ...filter, search: filter.search && { ...filter.search, terms: asked } }
  if (and && isPlain(left)) {
    const states = [STATE_CODES.Deleted, STATE_CODES.Destroyed]
    const text = `with ${crossed}
  select count(distinct payload_id) as found, ${isFrequent} as is_done from k
  where payload_id not in (${removedSql(since, states, bind)})`
    return early(await q.query<Omit<Early, 'is_cut'>>(text, values), most)
  }
  const rest = restSql(left, values)
  const text = `with ${crossed}
  select count(*) as found, ${isFrequent} as is_done from (
    select from (select distinct payload_id from k) k join payloads p using (payload_id)
    ${DOCUMENTS} where ${rest} limit ${most + 1}) m`
  return early(await q.query<Omit<Early, 'is_cut'>>(text, values), most)
}

function early({ rows }: { rows: Omit<Early, 'is_cut'>[] }, most: number): Early {
  const { found = 0, is_done = false } = rows[0] ?? {}
  return { found, is_cut: true, is_done: found > 0 && (is_done || found > most) }
}

/** The runs whose entries are counted first; undefined: none are known, or there is only one. */
function runsToCount({ search }: ListFilter, source: Source): CountedRuns | undefined {
  const { table, time, equals, always, runs } = source
  if (table !== 'payloads' || time !== 'payload_time' || equals.length > 0 || always) return undefined
  if (search?.counted && (runs ?? search.runs) === search.runs) return search.counted
  return runs && getCount(runs) > 1 ? { runs, and: undefined, asked: search?.asked ?? [] } : undefined
}

/**
 * Counts the matches among a bounded number of candidates, the newest where the list has an order: `e` are entries of
 * an index, `c` those of the scope, whose rows are read; `isForWhole`: only when these are all.
 */
function countSql(
  filter: ListFilter,
  source: Source,
  part: ScopePart,
  most: number,
  read: number,
  isForWhole = false,
): { text: string; values: unknown[] } {
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const conditions = entryConditions(source, bind)
  const scanned = SCANNED_FOR_ROW * read
  const isCut = `(select count(*) from e) >= ${scanned} or (select count(*) from c) >= ${read}`
  const entries = (more = '') =>
    `select payload_id, group_id, type from ${source.table} where ${conditions} ${more}
      ${inOrderSql(getDirection(filter), source.time, 'payload_id')} limit ${scanned}`
  const candidates = source.runs
    ? `select * from (${allOfRunsSql(source.runs, conditions, bind)}) x limit ${scanned}`
    : part.groups && source.has_group_index
      ? `select x.* from unnest(${bind(part.groups, 'int[]')}) g (id) cross join lateral (${entries('and group_id = g.id')}) x limit ${scanned}`
      : entries()
  const rest = restSql(withoutFound(filter, source), values)
  const text = `with e as materialized (${candidates}),
  c as materialized (select payload_id from e where true ${narrowing(part, bind)} limit ${read}),
  f as materialized (select count(*) as found from (
    select from (${source.runs && getCount(source.runs) > 1 ? 'select distinct' : 'select'} payload_id from c) k
    join payloads p using (payload_id) left join payload_documents o on o.payload_id = p.payload_id where ${isForWhole ? `not (${isCut}) and ` : ''}${rest} limit ${most + 1}) m)
  select found, found > ${most} or ${isCut} as is_cut from f`
  return { text, values }
}
