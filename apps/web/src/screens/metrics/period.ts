import type { MetricScope } from '@custodia/contract'
import { dateStyleOf } from '../../ui/time-format.ts'

const DAY = 86_400

/** Epoch seconds of the first second of the span after the one that begins then, in UTC as the server counts. */
export function nextPeriod(scope: Exclude<MetricScope, 'Summary'>, start: number): number {
  if (scope === 'Daily') return start + DAY
  if (scope === 'Weekly') return start + 7 * DAY
  const date = new Date(start * 1000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return Date.UTC(scope === 'Yearly' ? year + 1 : year, scope === 'Yearly' ? 0 : month + 1) / 1000
}

/** What a span is called: a day, the first and last day of a week, a month or a year. `start`: epoch seconds of its first second. */
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

/** Epoch seconds of the span that a payload metric has for id. */
export const periodOfId = (id: string | null): number => Date.parse(`${id}T00:00:00Z`) / 1000
