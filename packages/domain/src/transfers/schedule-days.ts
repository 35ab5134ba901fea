import { dayNumber, lengthOfMonth, weekdayOf } from './calendar.ts'
import { numberOf, numbersOf, WEEKDAYS } from './schedule-field.ts'

/** Which days of a month. Days of the week are 1 (Sunday) to 7. */
export type DayRule =
  | { readonly kind: 'days_of_month'; readonly days: readonly number[] }
  | { readonly kind: 'last_day' }
  /** The weekday (Monday to Friday) nearest to a day, within its month; none in a month without that day. */
  | { readonly kind: 'nearest_weekday'; readonly day: number }
  | { readonly kind: 'days_of_week'; readonly days: readonly number[] }
  | { readonly kind: 'last_of_week'; readonly day: number }
  | { readonly kind: 'nth_of_week'; readonly day: number; readonly nth: number }

/** A day-of-month field of cron; undefined: it is none. */
export function dayOfMonthRule(field: string): DayRule | undefined {
  if (/^L$/i.test(field)) return { kind: 'last_day' }
  if (/W$/i.test(field)) {
    const day = numberOf(field.slice(0, -1), 1, 31)
    return day === undefined ? undefined : { kind: 'nearest_weekday', day }
  }
  const days = numbersOf(field, 1, 31)
  return days && { kind: 'days_of_month', days }
}

/** A day-of-week field of cron: `L` alone is the last day of the week, Saturday. Undefined: it is none. */
export function dayOfWeekRule(field: string): DayRule | undefined {
  if (/^L$/i.test(field)) return { kind: 'days_of_week', days: [7] }
  if (/.L$/i.test(field)) {
    const day = numberOf(field.slice(0, -1), 1, 7, WEEKDAYS)
    return day === undefined ? undefined : { kind: 'last_of_week', day }
  }
  if (field.includes('#')) {
    const [of = '', count = '', ...more] = field.split('#')
    const day = numberOf(of, 1, 7, WEEKDAYS)
    const nth = numberOf(count, 1, 5)
    return day === undefined || nth === undefined || more.length > 0
      ? undefined
      : { kind: 'nth_of_week', day, nth }
  }
  const days = numbersOf(field, 1, 7, WEEKDAYS)
  return days && { kind: 'days_of_week', days }
}

/** The days of a month (1 to 12) that a rule names, in their order. */
export function daysOf(rule: DayRule, year: number, month: number): number[] {
  const length = lengthOfMonth(year, month)
  const weekday = (day: number) => weekdayOf(dayNumber(year, month, day))
  const all = Array.from({ length }, (_, i) => i + 1)
  switch (rule.kind) {
    case 'days_of_month':
      return rule.days.filter((day) => day <= length)
    case 'last_day':
      return [length]
    case 'nearest_weekday':
      return rule.day > length ? [] : [nearestWeekday(rule.day, weekday(rule.day), length)]
    case 'days_of_week':
      return all.filter((day) => rule.days.includes(weekday(day)))
    case 'last_of_week':
      return all.filter((day) => weekday(day) === rule.day && day + 7 > length)
    case 'nth_of_week':
      return all.filter((day) => weekday(day) === rule.day && Math.ceil(day / 7) === rule.nth)
  }
}

function nearestWeekday(day: number, weekday: number, length: number): number {
  if (weekday === 7) return day === 1 ? 3 : day - 1
  if (weekday === 1) return day === length ? day - 2 : day + 1
  return day
}
