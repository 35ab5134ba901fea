import { plural } from '@lingui/core/macro'
import { getPeriod } from './period.ts'

/** A period as people say it: “5 years”, also for five times 365 days. */
export function periodWords(days: number): string {
  const isYears = days > 0 && days % 365 === 0
  const { count, unit } = isYears ? { count: days / 365, unit: 'years' as const } : getPeriod(days)
  if (unit === 'years') return plural(count, { one: '# year', other: '# years' })
  if (unit === 'months') return plural(count, { one: '# month', other: '# months' })
  return plural(count, { one: '# day', other: '# days' })
}
