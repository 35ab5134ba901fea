import { type Total, TOTAL_CAP } from '@custodia/contract'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import type { ListFilter } from './filter.ts'
import { restSql, ROW_TABLES } from './rows.ts'
import { allOfRunsSql } from './runs.ts'
import { equalSql, sourceOf } from './source.ts'
import type { ScopePart } from './scope.ts'
import { statementName } from './statement-name.ts'
import { type Range, splitRange } from './calendar.ts'
import { leftOver, reviewedTotal } from './review-total.ts'
import { ALL_TYPES, DAYS, groupTotalsSql, MONTHS } from './group-totals.ts'

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
