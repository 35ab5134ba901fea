/** Seconds of an hour. */
const HOUR = 3_600
const UNIT_DAYS = { d: 1, w: 7 } as const

/**
 * The epoch second that a date of an address means to the viewer, in the viewer's own zone; undefined for what cannot
 * be read. Relative days begin at midnight, relative hours at the full hour, so that the meaning stays put while
 * somebody works. `now` means no bound.
 *
 * @param edge `end` makes a day inclusive: the bound is the midnight after it
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
  const midnight = dayOf(text, new Date(now))
  if (midnight === undefined) return undefined
  if (edge === 'end') midnight.setDate(midnight.getDate() + 1)
  return Math.floor(midnight.getTime() / 1000)
}

/** The local midnight with which the named day begins. */
function dayOf(text: string, now: Date): Date | undefined {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const back = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days)
  if (text === 'today') return today
  if (text === 'yesterday') return back(1)
  const relative = /^-(\d{1,4})([dw])$/.exec(text)
  if (relative) return back(Number(relative[1]) * UNIT_DAYS[relative[2] as 'd' | 'w'])
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!day) return undefined
  const [year, month, date] = [Number(day[1]), Number(day[2]) - 1, Number(day[3])]
  const found = new Date(year, month, date)
  return found.getMonth() === month ? found : undefined
}

/** Writes epoch seconds as a date parameter of the wire: `YYYY-MM-DD-HHMMSS`, UTC (spec section 5). */
export function toDateParameter(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString()
  return `${iso.slice(0, 10)}-${iso.slice(11, 19).replaceAll(':', '')}`
}

/** From and to of an address, as date parameters of the wire; a side that bounds nothing is undefined. */
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

/** The viewer's day of a moment, as a date of an address. */
export function dayText(seconds: number): string {
  const day = new Date(seconds * 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** The day that `text` means in the viewer's zone, as a date input wants it (`YYYY-MM-DD`); empty when it means none. */
export function toDayInput(text: string | undefined, now = Date.now()): string {
  const seconds = resolveDate(text, 'start', now)
  if (seconds === undefined) return ''
  return dayText(seconds)
}
