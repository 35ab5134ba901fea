import { fault, type MetricScope } from '@custodia/contract'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'

const DAY = 86_400
/** 1970-01-01 is a Thursday: days since Monday. */
const EPOCH_WEEKDAY = 3

const startOf = {
  Daily: (at) => at - (at % DAY),
  Weekly: (at) => at - ((at + EPOCH_WEEKDAY * DAY) % (7 * DAY)),
  Monthly: (at) => utc(new Date(at * 1000).getUTCFullYear(), new Date(at * 1000).getUTCMonth()),
  Yearly: (at) => utc(new Date(at * 1000).getUTCFullYear(), 0),
} as const satisfies Record<Exclude<MetricScope, 'Summary'>, (at: number) => number>

const utc = (year: number, month: number) => Date.UTC(year, month) / 1000

/** Start of the period that contains a time, in epoch seconds, never before the epoch. */
export const periodStart = (scope: Exclude<MetricScope, 'Summary'>, at: number): number =>
  Math.max(0, startOf[scope](at))

interface Dates {
  from?: string | undefined
  to?: string | undefined
}

/**
 * Periods that start in [from, to) in epoch seconds; `from` rounds down to its period. Problem: invalid_input for the
 * scope of all time.
 */
export function periodsWithin(scope: MetricScope, query: Dates): { from: number; to: number } {
  const { from, to } = timeRange(query)
  if (scope !== 'Summary') return { from: periodStart(scope, from), to }
  const given = (['from', 'to'] as const).filter((field) => query[field] !== undefined)
  if (given.length > 0)
    throw new Problem('invalid_input', {
      faults: given.map((field) => fault(field, 'not_allowed', { field })),
    })
  return { from, to }
}
