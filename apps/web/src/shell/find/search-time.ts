import { dayText } from '../../components/lists/date-range.ts'
import { foldText } from '../../ui/text.ts'

/** A period, as `from` and `to` of addresses. */
export interface SearchTime {
  from: string
  to: string
}

/** Tolerance of a typed time, in milliseconds. */
const AROUND_MS = 30 * 60_000

/** Words of both languages, without accents: users may type either language. */
const DAYS_AGO: Readonly<Record<string, number>> = {
  today: 0,
  hoje: 0,
  yesterday: 1,
  ontem: 1,
  anteontem: 2,
}
const LANGUAGES = ['en-GB', 'pt-BR']
/** Letters that distinguish months in both languages. */
const MONTH_LETTERS = 3

const CLOCK =
  /^(?<day>.*?)(?:^|[\s,t]\s*)(?:(?:at|as|por volta das)\s+)?(?<hour>\d{1,2})(?:[:h](?<minute>\d{2})(?::\d{2})?\s*(?<half>[ap]m)?|\s*(?<ending>[ap]m|h))$/
const FORMS = [
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<date>\d{1,2})$/,
  /^(?<date>\d{1,2})[/.](?<month>\d{1,2})(?:[/.](?<year>\d{4}|\d{2}))?$/,
  /^(?<date>\d{1,2})-(?<month>\d{1,2})-(?<year>\d{4})$/,
  /^(?<date>\d{1,2})(?:st|nd|rd|th|o|º)?\s+(?:de\s+|of\s+)?(?<month>[a-z]{3,})\.?(?:,?\s+(?:de\s+)?(?<year>\d{4}))?$/,
  /^(?<month>[a-z]{3,})\.?\s+(?<date>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?<year>\d{4}))?$/,
]

/**
 * Parses a time in the viewer's zone: `yesterday 14:30`, `ontem às 14h30`, `2026-11-20 14:30`, `20/11 2pm`, `20 Nov`,
 * `segunda-feira`. A time means ± 30 minutes; missing day or year means the most recent one. Undefined otherwise.
 */
export function searchTime(typed: string, now: Date): SearchTime | undefined {
  const text = foldText(typed).trim().replace(/\s+/g, ' ')
  const { day = text, hour, minute, half, ending } = CLOCK.exec(text)?.groups ?? {}
  if (hour === undefined) {
    const named = getDay(text, now)
    return named && { from: dayText(getSeconds(named)), to: dayText(getSeconds(named)) }
  }
  const [hours, minutes] = [getHours(Number(hour), half ?? ending), Number(minute ?? 0)]
  if (hours === undefined || minutes > 59) return undefined
  const isDayNamed = day.trim() !== ''
  const named = isDayNamed ? getDay(day.replace(/[\s,]+(?:at|as)?$/, ''), now) : now
  if (named === undefined) return undefined
  const at = new Date(named.getFullYear(), named.getMonth(), named.getDate(), hours, minutes)
  if (!isDayNamed && at > now) at.setDate(at.getDate() - 1)
  const getText = (ms: number) => `${dayText(ms / 1000)}T${getClock(new Date(ms))}`
  return { from: getText(at.getTime() - AROUND_MS), to: getText(at.getTime() + AROUND_MS) }
}

const getSeconds = (day: Date): number => day.getTime() / 1000
const two = (value: number) => String(value).padStart(2, '0')
const getClock = (moment: Date): string => `${two(moment.getHours())}:${two(moment.getMinutes())}`

function getHours(hour: number, half: string | undefined): number | undefined {
  if (half !== 'am' && half !== 'pm') return hour <= 23 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'pm' ? 12 : 0)
}

/** Midnight of the day in a text without accents. */
function getDay(text: string, now: Date): Date | undefined {
  const back = DAYS_AGO[text] ?? sinceWeekday(text, now)
  if (back !== undefined) return new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
  const { date, month, year } = FORMS.map((form) => form.exec(text)?.groups).find(Boolean) ?? {}
  if (date === undefined || month === undefined) return undefined
  const index = /^\d/.test(month) ? Number(month) - 1 : getMonth(month)
  const named = (ofYear: number) => {
    const day = new Date(ofYear, index, Number(date))
    return index >= 0 && day.getMonth() === index && day.getDate() === Number(date) ? day : undefined
  }
  if (year !== undefined) return named(year.length === 2 ? 2000 + Number(year) : Number(year))
  const thisYear = named(now.getFullYear())
  return thisYear === undefined || thisYear > now ? named(now.getFullYear() - 1) : thisYear
}

/** Month or weekday names in both languages, without accents. */
const getNames = (options: Intl.DateTimeFormatOptions, days: readonly Date[]): string[][] =>
  LANGUAGES.map((locale) => {
    const format = new Intl.DateTimeFormat(locale, options)
    return days.map((day) => foldText(format.format(day)))
  })

function getMonth(beginning: string): number {
  if (beginning.length < MONTH_LETTERS) return -1
  const months = Array.from({ length: 12 }, (_, month) => new Date(2026, month, 1))
  const found = getNames({ month: 'long' }, months).map((names) =>
    names.findIndex((name) => name.startsWith(beginning)),
  )
  return Math.max(...found)
}

/** Days since the last such weekday; 0 is today. */
function sinceWeekday(text: string, now: Date): number | undefined {
  const days = Array.from({ length: 7 }, (_, back) => {
    return new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
  })
  const found = getNames({ weekday: 'long' }, days)
    .map((names) => names.findIndex((name) => name === text || name === `${text}-feira`))
    .find((back) => back >= 0)
  return found
}
