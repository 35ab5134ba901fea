/** The usual range: the last seven days. */
export const WEEK = '-7d'

const HOUR = 3_600
const UNIT_DAYS = { d: 1, w: 7 } as const

/**
 * Resolves a date of an address to epoch seconds in the viewer's zone; undefined when invalid. Days start at midnight
 * and hours at the full hour, so that the value is stable; `now` means no bound.
 * @param edge `end` makes a day, week or month inclusive: the following midnight
 * @param now epoch milliseconds
 */
export function resolveDate(
  text: string | undefined,
  edge: 'start' | 'end',
  now: number,
): number | undefined {
  if (text === undefined || text === 'now') return undefined
  const hours = /^-(\d{1,4})h$/.exec(text)
  if (hours) return Math.floor(now / 1000 / HOUR) * HOUR - Number(hours[1]) * HOUR
  const span = getSpan(text, new Date(now))
  if (span === undefined) return undefined
  const [year, month, day] = edge === 'start' ? span.first : span.next
  return Math.floor(new Date(year, month, day, 0, span.minute ?? 0).getTime() / 1000)
}

/** Year, month from 0, and day (overflow allowed). */
type Day = readonly [year: number, month: number, day: number]
/** Local days, end exclusive; with `minute` that minute for both edges. */
interface Span {
  first: Day
  next: Day
  minute?: number
}

/** The range that a text names. */
function getSpan(text: string, now: Date): Span | undefined {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const days = (back: number, count = 1): Span => ({
    first: [year, month, date - back],
    next: [year, month, date - back + count],
  })
  if (text === 'today') return days(0)
  if (text === 'yesterday') return days(1)
  // Weeks start on Monday in both languages.
  if (text === 'last-week') return days(((now.getDay() + 6) % 7) + 7, 7)
  if (text === 'this-month') return { first: [year, month, 1], next: [year, month + 1, 1] }
  const relative = /^-(\d{1,4})([dw])$/.exec(text)
  if (relative) return days(Number(relative[1]) * UNIT_DAYS[relative[2] as 'd' | 'w'])
  const named = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}))?$/.exec(text)
  if (!named) return undefined
  const [y = 0, m = 0, d = 0, hour, minute = 0] = named
    .slice(1)
    .map((part) => part && Number(part)) as number[]
  if (new Date(y, m - 1, d).getMonth() !== m - 1) return undefined
  const first: Day = [y, m - 1, d]
  return hour === undefined
    ? { first, next: [y, m - 1, d + 1] }
    : { first, next: first, minute: hour * 60 + minute }
}

/** Formats epoch seconds as an API date: `YYYY-MM-DD-HHMMSS`, UTC (spec section 5). */
export function toDateParameter(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString()
  return `${iso.slice(0, 10)}-${iso.slice(11, 19).replaceAll(':', '')}`
}

/** From and to of an address as API dates; undefined without a bound. */
export function toDateParameters(
  range: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: string | undefined; to: string | undefined } {
  const bound = (text: string | undefined, edge: 'start' | 'end') => {
    const seconds = resolveDate(text, edge, now)
    return seconds === undefined ? undefined : toDateParameter(seconds)
  }
  return { from: bound(range.from, 'start'), to: bound(range.to, 'end') }
}

/** The viewer's day of a time, in address format. */
export function dayText(seconds: number): string {
  const day = new Date(seconds * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** The day of one side of a range in the viewer's zone, for a date input (`YYYY-MM-DD`); empty for none. */
export function toDayInput(
  text: string | undefined,
  edge: 'start' | 'end' = 'start',
  now = Date.now(),
): string {
  const seconds = resolveDate(text, edge, now)
  if (seconds === undefined) return ''
  // An end at midnight belongs to the day before.
  return dayText(edge === 'end' && getTime(text) === '' ? seconds - 1 : seconds)
}

/** Time of day in `text` (`HH:MM`); empty for whole days. */
export const getTime = (text: string | undefined): string => /T(.*)$/.exec(text ?? '')?.[1] ?? ''

/** Day and optional time of inputs, in address format; undefined without a day. */
export const toDateText = (day: string, time: string): string | undefined =>
  day === '' ? undefined : time === '' ? day : `${day}T${time}`
