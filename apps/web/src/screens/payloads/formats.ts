import type { I18n } from '@lingui/core'
import { getDateStyle } from '../../ui/time-format.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Bytes in the reader's notation, in steps of 1000: `1.4 MB`. */
export function formatSize(bytes: number, i18n: Pick<I18n, 'number'>): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return i18n.number(bytes / 1000 ** step, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  })
}

/**
 * Formats the device's local time without conversion.
 * @param local `YYYY-MM-DDTHH:MM:SS`; anything else is shown unchanged
 */
export function formatWallClock(local: string, locale: string): string {
  const at = new Date(`${local}Z`)
  if (Number.isNaN(at.getTime())) return local
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    dateStyle: getDateStyle(locale),
    timeStyle: 'medium',
  }).format(at)
}

/** Minutes east of UTC as `UTC−03:00`. */
export function formatOffset(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}
