/** Days of a month of the calendar, on average. */
const MONTH = 365.25 / 12

/** Units in which people state a period. */
export const PERIOD_UNITS = ['days', 'months', 'years'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

/** Whole days of a period, leap days included: five years are 1,827 days. */
export const getDays = (count: number, unit: PeriodUnit): number =>
  unit === 'days' ? count : Math.ceil(count * (unit === 'years' ? 12 : 1) * MONTH)

/** The largest unit that states these days exactly. */
export function getPeriod(days: number): { count: number; unit: PeriodUnit } {
  for (const unit of ['years', 'months'] as const) {
    const count = Math.floor(days / getDays(1, unit)) + 1
    for (const each of [count - 1, count, count + 1])
      if (each > 0 && getDays(each, unit) === days) return { count: each, unit }
  }
  return { count: days, unit: 'days' }
}
