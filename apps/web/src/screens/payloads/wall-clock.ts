import { dateStyleOf } from '../../ui/time-format.ts'

/**
 * Formats the device's local time without conversion.
 * @param local `YYYY-MM-DDTHH:MM:SS`; anything else is shown unchanged
 */
export function formatWallClock(local: string, locale: string): string {
  const at = new Date(`${local}Z`)
  if (Number.isNaN(at.getTime())) return local
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    dateStyle: dateStyleOf(locale),
    timeStyle: 'medium',
  }).format(at)
}

/** Minutes east of UTC as `UTC−03:00`. */
export function formatOffset(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
