/** The API uses epoch seconds. */
const getDate = (seconds: number): Date => new Date(seconds * 1000)

/** Cache time of the browser's zone in milliseconds: reading it takes longer than rendering a row. */
const ZONE_KEPT_MS = 60_000
let viewer = { zone: '', until: 0 }

/** The viewer's time zone, e.g. `Europe/London`. A change takes effect within a minute. */
export function viewerZone(): string {
  if (Date.now() >= viewer.until)
    viewer = {
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      until: Date.now() + ZONE_KEPT_MS,
    }
  return viewer.zone
}

/** Unknown zones (some devices send odd names) fall back to UTC. */
function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

/** Precision of a time; `clock` omits the day. */
export type TimeStyle = 'day' | 'minute' | 'second' | 'clock'

/** One date format per language; Brazilian month names would need too much room. */
export const getDateStyle = (locale: string): 'short' | 'medium' => (locale === 'pt-BR' ? 'short' : 'medium')

function getOptions(locale: string, style: TimeStyle | 'zone'): Intl.DateTimeFormatOptions {
  const dateStyle = getDateStyle(locale)
  if (style === 'zone') return { timeZoneName: 'short' }
  if (style === 'day') return { dateStyle }
  if (style === 'clock') return { timeStyle: 'short' }
  return { dateStyle, timeStyle: style === 'minute' ? 'short' : 'medium' }
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(locale: string, zone: string, style: TimeStyle | 'zone'): Intl.DateTimeFormat {
  const key = `${locale}|${zone}|${style}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(locale, { timeZone: knownZone(zone), ...getOptions(locale, style) })
  formatters.set(key, made)
  return made
}

/** Formats epoch seconds as date and time in `zone`; `style` is the precision. */
export function formatTime(
  seconds: number,
  locale: string,
  zone: string = viewerZone(),
  style: TimeStyle = 'minute',
): string {
  return formatter(locale, zone, style).format(getDate(seconds))
}

/** Short name of `zone` at that time, e.g. `GMT-3`. */
export function zoneName(seconds: number, locale: string, zone: string = viewerZone()): string {
  const parts = formatter(locale, zone, 'zone').formatToParts(getDate(seconds))
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone
}

/** Formats a duration in seconds as `1:02:03` or `2:03`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
