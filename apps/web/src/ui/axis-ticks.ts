import { formatTime, viewerZone } from './time-format.ts'

/** Formats a tick (epoch seconds) of an axis of several days: the date at midnight, else the time of day. */
export function formatTick(seconds: number, locale: string, zone: string = viewerZone()): string {
  const clock = formatTime(seconds, locale, zone, 'clock')
  if (clock !== '00:00') return clock
  const day = { day: 'numeric', month: 'short', timeZone: zone } as const
  return new Intl.DateTimeFormat(locale, day).format(new Date(seconds * 1000))
}
