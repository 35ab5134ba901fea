import { dayNumber, lengthOfMonth, getWeekday } from '../calendar.ts'

/** Names of months, the first being 1. */
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
/** Names of days of the week, the first being 1. */
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** The number, or the name that stands for it; undefined outside `min` to `max`. */
function getNumber(
  text: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): number | undefined {
  const named = names.indexOf(text.toUpperCase())
  const number = named >= 0 ? named + 1 : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

/** Numbers of a field in their order: values, ranges and steps (`*`, `3`, `3-8`, `3/5`, `3-8/2`) with commas between them. Undefined: none. */
function getNumbers(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): number[] | undefined {
  const found = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step, ...more] = part.split('/')
    const by = step === undefined ? 1 : getNumber(step, 1, max)
    const bounds = getBounds(range, step !== undefined)
    if (by === undefined || bounds === undefined || more.length > 0) return undefined
    for (let value = bounds[0]; value <= bounds[1]; value += by) found.add(value)
  }
  return [...found].toSorted((a, b) => a - b)

  function getBounds(range: string, isStepped: boolean): readonly [number, number] | undefined {
    if (range === '*') return [min, max]
    const [first = '', last, ...more] = range.split('-')
    const from = getNumber(first, min, max, names)
    const to = last === undefined ? (isStepped ? max : from) : getNumber(last, min, max, names)
    return from === undefined || to === undefined || to < from || more.length > 0 ? undefined : [from, to]
  }
}

/** Characters that an expression may have, as EventBridge allows. */
export const SCHEDULE_LENGTH = 256
const DAY = 86_400
const FIRST_YEAR = 1970
const LAST_YEAR = 2199

/** When something runs: every so many seconds, counted from 1970-01-01T00:00Z, or at the minutes of a calendar in UTC. */
type Schedule =
  | { readonly seconds: number }
  | {
      readonly minutes: readonly number[]
      readonly hours: readonly number[]
      readonly days: DayRule
      readonly months: readonly number[]
      readonly years: readonly number[]
    }

/** What is wrong with an expression. */
export const SCHEDULE_FAULTS = {
  schedule_syntax: 'neither rate(value unit) nor cron(minutes hours day-of-month month day-of-week year)',
  schedule_rate: 'the value of a rate is a whole number above 0',
  schedule_unit: 'the unit is minute, hour or day for 1, minutes, hours or days for more',
  schedule_fields: 'cron has six fields',
  schedule_minutes: 'minutes are 0 to 59',
  schedule_hours: 'hours are 0 to 23',
  schedule_day_of_month: 'days of the month are 1 to 31, L, or a day with W',
  schedule_month: 'months are 1 to 12 or JAN to DEC',
  schedule_day_of_week:
    'days of the week are 1 to 7 or SUN to SAT, with L for the last or # for the n-th of a month',
  schedule_year: 'years are 1970 to 2199',
  schedule_one_day: 'of day-of-month and day-of-week exactly one is ?',
  schedule_never: 'no day to come is one of its days',
} as const
export type ScheduleFault = keyof typeof SCHEDULE_FAULTS

/** Why an expression is not a schedule that ever runs after `from` (seconds since 1970, UTC); undefined: it is one. */
export function scheduleFault(expression: string, from: number): ScheduleFault | undefined {
  const parsed = parse(expression)
  if (typeof parsed === 'string') return parsed
  return nextRuns(expression, from, 1).length === 0 ? 'schedule_never' : undefined
}

/**
 * The next `n` runs after `from` (epoch seconds, UTC) of an expression in EventBridge's syntax; fewer if its years
 * are over or its day never comes. A rate runs at whole multiples of its period since 1970. Error: an invalid
 * expression.
 */
export function nextRuns(expression: string, from: number, n: number): number[] {
  const schedule = parse(expression)
  if (typeof schedule === 'string') throw new Error(SCHEDULE_FAULTS[schedule])
  if ('seconds' in schedule) {
    const first = Math.floor(from / schedule.seconds) + 1
    return Array.from({ length: n }, (_, i) => (first + i) * schedule.seconds)
  }
  const runs: number[] = []
  for (const day of daysFrom(schedule, from)) {
    for (const hour of schedule.hours)
      for (const minute of schedule.minutes) {
        const at = day + hour * 3600 + minute * 60
        if (at > from && runs.length < n) runs.push(at)
      }
    if (runs.length >= n) break
  }
  return runs
}

/** Midnights of the days of a calendar, from the day of `from` on. */
function* daysFrom(
  { days, months, years }: Extract<Schedule, { days: DayRule }>,
  from: number,
): Generator<number> {
  const today = Math.floor(from / DAY)
  for (const year of years) {
    if (dayNumber(year + 1, 1, 1) <= today) continue
    for (const month of months)
      for (const day of getDays(days, year, month)) {
        const number = dayNumber(year, month, day)
        if (number >= today) yield number * DAY
      }
  }
}

function parse(expression: string): Schedule | ScheduleFault {
  const [, kind, inside = ''] = /^(rate|cron)\(([^()]*)\)$/.exec(expression) ?? []
  if (kind === undefined || expression.length > SCHEDULE_LENGTH) return 'schedule_syntax'
  const parts = inside.trim().split(/ +/)
  return kind === 'rate' ? rate(parts) : cron(parts)
}

const UNITS: Readonly<Record<string, number>> = { minute: 60, hour: 3600, day: DAY }

function rate(parts: readonly string[]): Schedule | ScheduleFault {
  const [value = '', unit = ''] = parts
  if (parts.length !== 2) return 'schedule_syntax'
  // Six figures of days are more than two thousand years.
  if (!/^[1-9]\d{0,5}$/.test(value)) return 'schedule_rate'
  const seconds = Object.hasOwn(UNITS, singular(unit, value)) ? UNITS[singular(unit, value)] : undefined
  return seconds === undefined ? 'schedule_unit' : { seconds: Number(value) * seconds }
}

/** `minutes` for more than one, `minute` for one; what is written otherwise is no unit. */
const singular = (unit: string, value: string) =>
  value === '1' ? unit : unit.endsWith('s') ? unit.slice(0, -1) : ''

function cron(parts: readonly string[]): Schedule | ScheduleFault {
  if (parts.length !== 6) return 'schedule_fields'
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = ''] = parts
  const minutes = getNumbers(minute, 0, 59)
  if (!minutes) return 'schedule_minutes'
  const hours = getNumbers(hour, 0, 23)
  if (!hours) return 'schedule_hours'
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) return 'schedule_one_day'
  const days = dayOfWeek === '?' ? dayOfMonthRule(dayOfMonth) : dayOfWeekRule(dayOfWeek)
  if (!days) return dayOfWeek === '?' ? 'schedule_day_of_month' : 'schedule_day_of_week'
  const months = getNumbers(month, 1, 12, MONTHS)
  if (!months) return 'schedule_month'
  const years = getNumbers(year, FIRST_YEAR, LAST_YEAR)
  return years ? { minutes, hours, days, months, years } : 'schedule_year'
}

/** Which days of a month. Days of the week are 1 (Sunday) to 7. */
type DayRule =
  | { readonly kind: 'days_of_month'; readonly days: readonly number[] }
  | { readonly kind: 'last_day' }
  /** The weekday (Monday to Friday) nearest to a day, within its month; none in a month without that day. */
  | { readonly kind: 'nearest_weekday'; readonly day: number }
  | { readonly kind: 'days_of_week'; readonly days: readonly number[] }
  | { readonly kind: 'last_of_week'; readonly day: number }
  | { readonly kind: 'nth_of_week'; readonly day: number; readonly nth: number }

/** A day-of-month field of cron; undefined: it is none. */
function dayOfMonthRule(field: string): DayRule | undefined {
  if (/^L$/i.test(field)) return { kind: 'last_day' }
  if (/W$/i.test(field)) {
    const day = getNumber(field.slice(0, -1), 1, 31)
    return day === undefined ? undefined : { kind: 'nearest_weekday', day }
  }
  const days = getNumbers(field, 1, 31)
  return days && { kind: 'days_of_month', days }
}

/** A day-of-week field of cron: `L` alone is the last day of the week, Saturday. Undefined: it is none. */
function dayOfWeekRule(field: string): DayRule | undefined {
  if (/^L$/i.test(field)) return { kind: 'days_of_week', days: [7] }
  if (/.L$/i.test(field)) {
    const day = getNumber(field.slice(0, -1), 1, 7, WEEKDAYS)
    return day === undefined ? undefined : { kind: 'last_of_week', day }
  }
  if (field.includes('#')) {
    const [of = '', count = '', ...more] = field.split('#')
    const day = getNumber(of, 1, 7, WEEKDAYS)
    const nth = getNumber(count, 1, 5)
    return day === undefined || nth === undefined || more.length > 0
      ? undefined
      : { kind: 'nth_of_week', day, nth }
  }
  const days = getNumbers(field, 1, 7, WEEKDAYS)
  return days && { kind: 'days_of_week', days }
}

/** The days of a month (1 to 12) that a rule names, in their order. */
function getDays(rule: DayRule, year: number, month: number): number[] {
  const length = lengthOfMonth(year, month)
  const weekday = (day: number) => getWeekday(year, month, day)
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
