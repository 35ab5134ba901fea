import type { MetricScope } from '@custodia/contract'
import { dateStyleOf } from '../../ui/time-format.ts'

const DAY = 86_400

/** Start of the next period in epoch seconds, in UTC as on the server. */
export function nextPeriod(scope: Exclude<MetricScope, 'Summary'>, start: number): number {
  if (scope === 'Daily') return start + DAY
  if (scope === 'Weekly') return start + 7 * DAY
  const date = new Date(start * 1000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return Date.UTC(scope === 'Yearly' ? year + 1 : year, scope === 'Yearly' ? 0 : month + 1) / 1000
}

/** Label of a period: a day, first and last day of a week, a month or a year. `start` in epoch seconds. */
export function periodText(scope: Exclude<MetricScope, 'Summary'>, start: number, locale: string): string {
  const options: Intl.DateTimeFormatOptions =
    scope === 'Yearly'
      ? { year: 'numeric' }
      : scope === 'Monthly'
        ? { year: 'numeric', month: 'long' }
        : { dateStyle: dateStyleOf(locale) }
  const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  const first = new Date(start * 1000)
  return scope === 'Weekly'
    ? format.formatRange(first, new Date((start + 6 * DAY) * 1000))
    : format.format(first)
}

/** Start in epoch seconds, from the id of a payload metric. */
export const periodOfId = (id: string | null): number => Date.parse(`${id}T00:00:00Z`) / 1000
