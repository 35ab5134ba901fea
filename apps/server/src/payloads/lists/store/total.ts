import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import { COUNTED_DAYS } from '../../counts-store.ts'
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
 * Splits [from, to) into whole months, whole days of one month each, and remainders of at most two days (all UTC).
 * Clamps bounds to the years 1970 to 9999.
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
  if (firstMonth > lastMonth) return { months: [], days: pieces([firstDay, lastDay]), seconds }
  return {
    months: pieces([firstMonth, lastMonth]),
    days: pieces([firstDay, firstMonth], [lastMonth, lastDay]),
    seconds,
  }
}

const pieces = (...ranges: Range[]): Range[] => ranges.filter(([from, to]) => from < to)

function monthAtOrBefore(seconds: number): number {
  const at = new Date(seconds * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000
}

const dayOf = (seconds: number) => new Date(seconds * 1000).getUTCDate()

function monthAtOrAfter(seconds: number): number {
  const month = monthAtOrBefore(seconds)
  if (month === seconds) return month
  const at = new Date(month * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000
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

/** How many payloads of the list's scope and time were heard or marked. */
async function reviewedTotal(q: Queryable, filter: ListFilter, review: Review): Promise<number> {
  const { bind, values } = binder([filter.client_id])
  const range = within('payload_time', [filter.from, filter.to], bind)
  const sums = filter.scope.map(
    (part) => `(select count(*) from ${REVIEWED[review]} where client_id = $1 and person = ''
      and service = ${bind(part.service, 'smallint')} ${narrowing(part, bind)} and ${range})`,
  )
  return sumOf(q, sums, values)
}

async function sumOf(q: Queryable, sums: readonly string[], values: unknown[]): Promise<number> {
  if (sums.length === 0) return 0
  const text = `select (${sums.join(' + ')})::bigint as total`
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
  const review = isPlain && leftOver(filter)
  // Two statements could see different states.
  if (review)
    return { total: Math.max(0, (await exactTotal(q, filter)) - (await reviewedTotal(q, filter, review))) }
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
  return sumOf(q, sums, values)
}

/** SQL of the summands of one part: whole months, days of a month, and counted remainders. */
function sumsOf(filter: ListFilter, part: ScopePart, values: unknown[]): string[] {
  const { bind } = binder(values)
  const { months, days, seconds } = splitRange(filter.from, Math.min(filter.to, END_OF_TIME))
  if (months.length + days.length + seconds.length === 0) return []
  const service = `client_id = $1 and service = ${bind(part.service, 'smallint')}`
  const counters = `${service} and type = any(${bind(part.types ?? [ALL], 'smallint[]')}) and group_id = any(${bind(part.groups ?? [ALL], 'int[]')})`
  const summed = (what: string, which: string) =>
    `(select coalesce(sum(${what}), 0) from payload_counts where ${counters} and ${which})`
  return [
    ...months.map((range) => summed('total', within('month', range, bind))),
    ...days.map(([from, to]) => {
      const [first, last] = [dayOf(from), dayOf(to - 1)]
      // Weights are parameters, so that few texts are prepared.
      const weighted = Array.from(
        { length: COUNTED_DAYS },
        (_, i) => `days[${i + 1}] * ${bind(i + 1 >= first && i + 1 <= last ? 1 : 0, 'int')}`,
      )
      return summed(weighted.join(' + '), `month = ${bind(monthAtOrBefore(from), 'bigint')}`)
    }),
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
