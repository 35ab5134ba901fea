import { DateParameter, dateParameterToEpoch, type TimeWarning, type PayloadMeta } from '@custodia/contract'

/** Seconds by which a clock on the wall may differ from the time of the recording: no zone is a day away. */
const DAY = 86_400
/** Minutes by which an offset may differ from its zone's: rules of summer time change, and phones learn of it late. */
const SUMMER = 60

/**
 * What a phone says of a recording's place in time and cannot be so: evidence all the same, kept as it was said and shown with the
 * doubt. A zone that nobody knows, or at another offset; a clock on the wall that shows no date of the calendar, or one more than a
 * day away.
 */
export function timeWarningsOf(
  meta: Pick<PayloadMeta, 'timezone' | 'timezone_offset' | 'local_time' | 'payload_time'>,
): TimeWarning[] {
  const warnings: TimeWarning[] = []
  const offset = offsetOf(meta.timezone, meta.payload_time)
  if (offset === undefined || Math.abs(offset - meta.timezone_offset) > SUMMER) warnings.push('timezone')
  const shown = wallClock(meta.local_time)
  if (shown === undefined || Math.abs(shown - meta.payload_time) > DAY) warnings.push('local_time')
  return warnings
}

/** What a clock at Greenwich would show, in epoch seconds; undefined for a date or time that does not exist. */
function wallClock(local_time: string): number | undefined {
  const stated = DateParameter.safeParse(local_time.replace('T', '-').replaceAll(':', ''))
  return stated.success ? dateParameterToEpoch(stated.data) : undefined
}

const zones = new Map<string, Intl.DateTimeFormat | undefined>()
/** Zones remembered: there are about 600, and phones write what they like. */
const REMEMBERED = 1000

/** Minutes east of UTC in a zone at a moment; undefined for a zone that nobody knows. */
function offsetOf(timezone: string, at: number): number | undefined {
  if (!zones.has(timezone)) {
    if (zones.size >= REMEMBERED) zones.clear()
    zones.set(timezone, zoneOf(timezone))
  }
  const parts = zones.get(timezone)?.formatToParts(at * 1000)
  const name = parts?.find(({ type }) => type === 'timeZoneName')?.value
  const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::\d\d)?)?$/.exec(name ?? '')
  if (!match) return undefined
  const [, sign, hours = '0', minutes = '0'] = match
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function zoneOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}
