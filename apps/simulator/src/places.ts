import type { Chance } from './chance.ts'
import type { DemoPerson } from './demo-account.ts'

interface Place {
  timezone: string
  carriers: readonly string[]
  /** Offices and meeting places: latitude, longitude. */
  spots: readonly (readonly [number, number])[]
}

/** Workplaces per language. */
export const PLACES: Readonly<Record<DemoPerson['locale'], Place>> = {
  'en-GB': {
    timezone: 'Europe/London',
    carriers: ['EE', 'O2 - UK', 'Vodafone UK', 'Three UK'],
    spots: [
      [51.5138, -0.0984],
      [51.5054, -0.0235],
      [51.5079, -0.1357],
      [51.5225, -0.0837],
    ],
  },
  'pt-BR': {
    timezone: 'America/Sao_Paulo',
    carriers: ['Vivo', 'Claro BR', 'TIM Brasil'],
    spots: [
      [-23.5866, -46.6822],
      [-23.5614, -46.6559],
      [-23.6096, -46.6953],
    ],
  },
}

const clocks = new Map<string, Intl.DateTimeFormat>()
/** Cached: creating a formatter is slow. */
function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  clocks.set(timezone, made)
  return made
}

/** Local time of `timezone` at `at` (epoch seconds), and the offset in minutes east of UTC. */
export function wallClock(timezone: string, at: number): { local_time: string; timezone_offset: number } {
  const parts = clockOf(timezone).formatToParts(at * 1000)
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  const local_time = `${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}:${of.second}`
  return { local_time, timezone_offset: Math.round((Date.parse(`${local_time}Z`) / 1000 - at) / 60) }
}

const DAY = 86_400
const OPENS = 8.5
const CLOSES = 18

/**
 * A working-hours time (epoch seconds) in `timezone`, `oldest` to `newest` days before `now`, that ends `length`
 * seconds later before now.
 */
export function workingMoment(
  chance: Chance,
  timezone: string,
  now: number,
  { length = 0, newest = 0, oldest = 7 }: { length?: number; newest?: number; oldest?: number },
): number {
  const latest = now - newest * DAY - length
  const earliest = now - oldest * DAY
  let moment = latest
  // A week always contains a working day; the bound covers shorter ranges.
  for (let tried = 0; tried < 500; tried++) {
    moment = Math.floor(earliest + chance.next() * (latest - earliest))
    const local = new Date((moment + wallClock(timezone, moment).timezone_offset * 60) * 1000)
    const hour = local.getUTCHours() + local.getUTCMinutes() / 60
    const weekday = local.getUTCDay()
    if (weekday > 0 && weekday < 6 && hour >= OPENS && hour < CLOSES) return moment
  }
  return moment
}
