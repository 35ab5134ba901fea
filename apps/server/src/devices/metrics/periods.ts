import { fault, type MetricScope } from '@custodia/contract'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'

const DAY = 86_400
/** From Monday to the Thursday on which the epoch begins. */
const EPOCH_WEEKDAY = 3

const startOf = {
  Daily: (at) => at - (at % DAY),
  Weekly: (at) => at - ((at + EPOCH_WEEKDAY * DAY) % (7 * DAY)),
  Monthly: (at) => utc(new Date(at * 1000).getUTCFullYear(), new Date(at * 1000).getUTCMonth()),
  Yearly: (at) => utc(new Date(at * 1000).getUTCFullYear(), 0),
} as const satisfies Record<Exclude<MetricScope, 'Summary'>, (at: number) => number>

const utc = (year: number, month: number) => Date.UTC(year, month) / 1000

/** First second of the span in which a moment lies, in epoch seconds; nothing is before the epoch. */
export const periodStart = (scope: Exclude<MetricScope, 'Summary'>, at: number): number =>
  Math.max(0, startOf[scope](at))

interface Dates {
  from?: string | undefined
  to?: string | undefined
}

/** The spans that begin in [from, to), in epoch seconds: the first is the one in which `from` lies. Problem: invalid_input, of all time. */
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
