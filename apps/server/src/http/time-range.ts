import { dateParameterToEpoch } from '@custodia/contract'

/** Larger than every time of a record, in epoch seconds. */
export const END_OF_TIME = 9_000_000_000_000_000

/** The half-open range of epoch seconds for a query's dates; without them, all time. */
export const timeRange = (query: {
  from?: string | undefined
  to?: string | undefined
}): { from: number; to: number } => ({
  from: query.from === undefined ? 0 : (dateParameterToEpoch(query.from) ?? 0),
  to: query.to === undefined ? END_OF_TIME : (dateParameterToEpoch(query.to, true) ?? END_OF_TIME),
})

/** Epoch seconds [from, to). */
export type Range = readonly [from: number, to: number]

type Unit = 'day' | 'month' | 'year'

/** The first second of the unit (UTC) that contains this one, or of the `next`. */
export function getStart(unit: Unit, seconds: number, next: 0 | 1 = 0): number {
  const at = new Date(seconds * 1000)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  if (unit === 'year') return Date.UTC(year + next, 0) / 1000
  if (unit === 'month') return Date.UTC(year, month + next) / 1000
  return Date.UTC(year, month, day + next) / 1000
}

/** Splits a range into whole units and what is before and after them. */
function split([from, to]: Range, unit: Unit): { whole: Range; rest: Range[] } {
  const first = getStart(unit, from) === from ? from : getStart(unit, from, 1)
  const last = getStart(unit, to)
  if (first > last) return { whole: [to, to], rest: pieces([from, to]) }
  return { whole: [first, last], rest: pieces([from, first], [last, to]) }
}

const pieces = (...ranges: Range[]): Range[] => ranges.filter(([from, to]) => from < to)

const LAST = Date.UTC(10_000, 0) / 1000

/**
 * Splits [from, to) into whole years, whole months of one year each, whole days of one month each, and remainders of at
 * most two days (all UTC). Clamps bounds to the years 1970 to 9999.
 */
export function splitRange(
  from: number,
  to: number,
): Record<'years' | 'months' | 'days' | 'seconds', Range[]> {
  const [start, end] = [from, to].map((at) => Math.min(Math.max(0, at), LAST)) as [number, number]
  const byDay = split([start, Math.max(start, end)], 'day')
  const byMonth = split(byDay.whole, 'month')
  const byYear = split(byMonth.whole, 'year')
  return { years: pieces(byYear.whole), months: byYear.rest, days: byMonth.rest, seconds: byDay.rest }
}
