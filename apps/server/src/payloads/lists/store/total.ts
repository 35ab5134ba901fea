import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import type { ListFilter } from './filter.ts'
import { restSql, ROW_TABLES } from './rows.ts'
import { allOfRunsSql, equalSql, sourceOf } from './runs.ts'
import type { ScopePart } from './scope.ts'
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

/** Seconds [from, to). */
type Range = readonly [from: number, to: number]

const DAY = 86_400

/**
 * Splits [from, to) into whole months, whole days and remainders of at most two days (all UTC), so that each uses the
 * coarsest counter. Clamps bounds to the years 1970 to 9999.
 */
function splitRange(from: number, to: number): { months: Range[]; days: Range[]; seconds: Range[] } {
  const last = Date.UTC(10_000, 0) / 1000
  const [start, end] = [Math.max(0, from), Math.min(to, last)]
  if (start >= end) return { months: [], days: [], seconds: [] }
  const firstDay = Math.ceil(start / DAY) * DAY
  const lastDay = Math.floor(end / DAY) * DAY
  if (firstDay >= lastDay) {
    return {
      months: [],
      days: [],
      seconds: pieces([start, Math.min(firstDay, end)], [Math.max(firstDay, start), end]),
    }
  }
  const seconds = pieces([start, firstDay], [lastDay, end])
  const firstMonth = monthAtOrAfter(firstDay)
  const lastMonth = monthAtOrBefore(lastDay)
  if (firstMonth >= lastMonth) return { months: [], days: pieces([firstDay, lastDay]), seconds }
  return {
    months: [[firstMonth, lastMonth]],
    days: pieces([firstDay, firstMonth], [lastMonth, lastDay]),
    seconds,
  }
}

const pieces = (...ranges: Range[]): Range[] => ranges.filter(([from, to]) => from < to)

function monthAtOrBefore(seconds: number): number {
  const at = new Date(seconds * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000
}

function monthAtOrAfter(seconds: number): number {
  const month = monthAtOrBefore(seconds)
  if (month === seconds) return month
  const at = new Date(month * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000
}

/** Type of the counter that sums all types of a service, next to the counters per type. */
const ALL_TYPES = 0

/** A counter table's grain: a row covers a span by its parts. */
interface Grain {
  table: string
  span: 'month' | 'year'
  /** Prefix of its columns, of which there are many. */
  column: 'd' | 'm'
  parts: number
  /** Start of the span of a time (epoch seconds), and the number of the part. */
  placeOf: (seconds: number) => { start: number; part: number }
  /** Start of the next span in epoch seconds. */
  after: (start: number) => number
}

const utc = (year: number, month = 0) => Date.UTC(year, month) / 1000
const dateOf = (seconds: number) => new Date(seconds * 1000)

/** Days within months. */
const DAYS: Grain = {
  table: 'payload_group_months',
  span: 'month',
  column: 'd',
  parts: 31,
  placeOf(seconds) {
    const date = dateOf(seconds)
    return { start: utc(date.getUTCFullYear(), date.getUTCMonth()), part: date.getUTCDate() }
  },
  after: (start) => utc(dateOf(start).getUTCFullYear(), dateOf(start).getUTCMonth() + 1),
}

/** Months within years. */
const MONTHS: Grain = {
  table: 'payload_group_years',
  span: 'year',
  column: 'm',
  parts: 12,
  placeOf(seconds) {
    const date = dateOf(seconds)
    return { start: utc(date.getUTCFullYear()), part: date.getUTCMonth() + 1 }
  },
  after: (start) => utc(dateOf(start).getUTCFullYear() + 1),
}

/**
 * SQL of the totals of some groups over whole parts of a grain. Complete rows are read together, so that a
 * range takes at most three statements. Bounds and parts are parameters, so that few texts are prepared.
 * @param equals further conditions: client, service, types and groups
 */
function groupTotalsSql(grain: Grain, [from, to]: Range, equals: string, bind: Bind): string[] {
  const { table, span, column, parts } = grain
  const first = grain.placeOf(from)
  // The last included part.
  const last = grain.placeOf(to - 1)
  const columns = Array.from({ length: parts }, (_, i) => `${column}${i + 1}`)
  const summed = (terms: readonly string[], spans: string) =>
    `select coalesce(sum(${terms.join(' + ')}), 0) from ${table} where ${equals} and ${spans}`
  const some = (start: number, least: number, most: number) =>
    summed(
      columns.map((name, i) => `${name} * ${bind(i + 1 >= least && i + 1 <= most ? 1 : 0, 'int')}`),
      `${span} = ${bind(start, 'bigint')}`,
    )
  if (first.start === last.start) return [some(first.start, first.part, last.part)]
  const isFirstWhole = first.part === 1
  const isLastWhole = grain.after(last.start) === to
  const whole: Range = [isFirstWhole ? first.start : grain.after(first.start), isLastWhole ? to : last.start]
  return [
    ...(isFirstWhole ? [] : [some(first.start, first.part, parts)]),
    ...(whole[0] < whole[1]
      ? [summed(columns, `${span} >= ${bind(whole[0], 'bigint')} and ${span} < ${bind(whole[1], 'bigint')}`)]
      : []),
    ...(isLastWhole ? [] : [some(last.start, 1, last.part)]),
  ]
}

/** Kinds of review in `review_counts`. */
type Kind = 'h' | 'm'
const TABLES: Readonly<Record<Kind, string>> = { h: 'payload_opened', m: 'payload_marked' }

/** Which part of an unreviewed list this is: unheard or unmarked; undefined for other lists. */
function leftOver({ mark, heard, marked_by, knows }: ListFilter): Kind | undefined {
  if (mark === undefined && heard === 'none' && knows.h) return 'h'
  if (heard === undefined && mark === 'none' && marked_by === '' && knows.m) return 'm'
  return undefined
}

/**
 * How many payloads of the list's scope and time were heard or marked: from counters, so the cost does not grow with
 * the list.
 */
async function reviewedTotal(q: Queryable, filter: ListFilter, kind: Kind): Promise<number> {
  const { bind, values } = binder([filter.client_id])
  const { months, days, seconds } = splitRange(filter.from, Math.min(filter.to, END_OF_TIME))
  const sums = filter.scope.flatMap((part) => {
    const equals = [
      `client_id = $1 and service = ${bind(part.service, 'smallint')}`,
      ...(part.groups ? [`group_id = any(${bind(part.groups, 'int[]')})`] : []),
      ...(part.types ? [`type = any(${bind(part.types, 'smallint[]')})`] : []),
    ].join(' and ')
    const within = (column: string, [from, to]: Range) =>
      `${column} >= ${bind(from, 'bigint')} and ${column} < ${bind(to, 'bigint')}`
    const counted = (grain: string) => (range: Range) =>
      `select coalesce(sum(count), 0) from review_counts where ${equals} and kind = '${kind}' and grain = '${grain}' and ${within('bucket', range)}`
    const looked = (range: Range) =>
      `select count(*) from ${TABLES[kind]} where ${equals} and person = '' and ${within('payload_time', range)}`
    return [...months.map(counted('m')), ...days.map(counted('d')), ...seconds.map(looked)]
  })
  if (sums.length === 0) return 0
  const text = `select (${sums.map((sum) => `(${sum})`).join(' + ')})::bigint as total`
  const { rows } = await q.query<{ total: number }>(text, values, statementName(text))
  return rows[0]?.total ?? 0
}

/** Rows read per part of the scope for each matching row. */
const SCANNED_FOR_ONE = 20

/** The total of a list: exact and cheap from the counters, else counted up to `most`. */
export async function readListTotal(q: Queryable, filter: ListFilter, most = TOTAL_CAP): Promise<Total> {
  const { mark, heard, ...plain } = filter
  const isPlain = isCounted(plain)
  if (isPlain && mark === undefined && heard === undefined) return { total: await exactTotal(q, filter) }
  // The unreviewed payloads are all payloads less the reviewed ones.
  const kind = isPlain && leftOver(filter)
  // Two statements could see different states.
  if (kind)
    return { total: Math.max(0, (await exactTotal(q, filter)) - (await reviewedTotal(q, filter, kind))) }
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
  if (sums.length === 0) return 0
  const text = `select (${sums.map((sum) => `(${sum})`).join(' + ')})::bigint as total`
  const { rows } = await q.query<{ total: number }>(text, values, statementName(text))
  return rows[0]?.total ?? 0
}

/** SQL of the summands of one part: whole months, whole days, and counted remainders. */
function sumsOf(filter: ListFilter, part: ScopePart, values: unknown[]): string[] {
  const { bind } = binder(values)
  const { months, days, seconds } = splitRange(filter.from, Math.min(filter.to, END_OF_TIME))
  if (months.length + days.length + seconds.length === 0) return []
  const ofService = `client_id = $1 and service = ${bind(part.service, 'smallint')}`
  const inGroups = part.groups ? ` and group_id = any(${bind(part.groups, 'int[]')})` : ''
  const ofTypes = part.types ? ` and type = any(${bind(part.types, 'smallint[]')})` : ''
  const within = (column: string, [from, to]: Range) =>
    `${column} >= ${bind(from, 'bigint')} and ${column} < ${bind(to, 'bigint')}`
  const looked = (range: Range) =>
    `select count(*) from payloads where ${ofService}${inGroups}${ofTypes} and state = any(${bind(filter.states, 'smallint[]')}) and not is_copy
       and ${within('payload_time', range)}`
  if (part.groups) {
    const folded = `${ofService}${ofTypes || ` and type = ${ALL_TYPES}`}${inGroups}`
    return [
      ...months.flatMap((range) => groupTotalsSql(MONTHS, range, folded, bind)),
      ...days.flatMap((range) => groupTotalsSql(DAYS, range, folded, bind)),
      ...seconds.map(looked),
    ]
  }
  const counted = (grain: string) => (range: Range) =>
    `select coalesce(sum(count), 0) from payload_totals where ${ofService}${ofTypes} and grain = '${grain}' and ${within('bucket', range)}`
  return [...months.map(counted('m')), ...days.map(counted('d')), ...seconds.map(looked)]
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
    const { text, values } = countSql(filter, part, most)
    const { rows } = await q.query<{ found: number; scanned: number }>(text, values)
    total += rows[0]?.found ?? 0
    is_capped ||= (rows[0]?.scanned ?? 0) >= SCANNED_FOR_ONE * most
    if (total > most) return { total: most, is_capped: true }
  }
  return is_capped ? { total, is_capped } : { total }
}

/** Counts the matches among a bounded number of candidates. */
function countSql(filter: ListFilter, part: ScopePart, most: number): { text: string; values: unknown[] } {
  const source = sourceOf(filter)
  const { bind, values } = binder([filter.client_id, part.service, filter.from, filter.to])
  const equals = source.equals.map((equal) => `and ${equalSql(equal, bind)}`)
  const conditions = `client_id = $1 and service = $2 ${equals.join(' ')} ${narrowing(part, bind)} ${source.always ? `and ${source.always}` : ''}
      and ${source.time} >= $3 and ${source.time} < $4`
  const candidates = source.runs
    ? allOfRunsSql(source.runs, conditions, bind)
    : `select payload_id from ${source.table} where ${conditions}`
  const rest = restSql(filter, values)
  const text = `with c as materialized (select payload_id from (${candidates}) x limit ${SCANNED_FOR_ONE * most})
  select (select count(*) from c) as scanned, (select count(*) from (
    select from (select distinct payload_id from c) k join payloads p using (payload_id) ${ROW_TABLES} where ${rest} limit ${most + 1}) m) as found`
  return { text, values }
}
