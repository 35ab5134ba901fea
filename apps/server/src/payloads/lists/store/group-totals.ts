import type { Bind } from '../../../ports/database/binder.ts'
import type { Range } from './calendar.ts'

/** Type of the counter that sums all types of a service, next to the counters per type. */
export const ALL_TYPES = 0

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
export const DAYS: Grain = {
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
export const MONTHS: Grain = {
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
export function groupTotalsSql(grain: Grain, [from, to]: Range, equals: string, bind: Bind): string[] {
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
