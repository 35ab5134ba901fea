const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Seconds since midnight of a typed time: `15:00`, `1500`, `15h30`, `15`, `3 pm`; undefined for anything else. */
export function parseClock(text: string): number | undefined {
  const found = /^(\d{1,2})(?:[:.h ]?(\d{2}))?(?::(\d{2}))?h?\s*([ap]m)?$/.exec(text.trim().toLowerCase())
  if (!found) return undefined
  const [hour, minute, second] = found.slice(1, 4).map((each) => Number(each ?? 0)) as [
    number,
    number,
    number,
  ]
  const half = found[4]
  if (minute > 59 || second > 59 || hour > (half ? 12 : 23) || (half && hour === 0)) return undefined
  const whole = half ? (hour % 12) + (half === 'pm' ? 12 : 0) : hour
  return whole * HOUR + minute * MINUTE + second
}

/** A time of day on the shown day, or on the day before where the track has ended by then. */
export function onShownDay(
  clock: number,
  shown: number,
  { begin, end }: { begin: number; end: number },
): number {
  const day = new Date(shown * 1000)
  const onDay = (back: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() - back, 0, 0, clock).getTime() / 1000
  const [today, before] = [onDay(0), onDay(1)]
  return today > end && before >= begin ? before : today
}

/** Steps between the ticks of a time axis in seconds. */
const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY]

/** Round times in a period, at most about `most`, counted from the midnight before it. */
export function getTicks({ begin, end }: { begin: number; end: number }, most: number): number[] {
  const wanted = (end - begin) / most
  const step = STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / DAY) * DAY
  const midnight = new Date(begin * 1000).setHours(0, 0, 0, 0) / 1000
  const first = midnight + Math.ceil((begin - midnight) / step) * step
  return Array.from({ length: Math.max(0, Math.floor((end - first) / step) + 1) }, (_, i) => first + i * step)
}
