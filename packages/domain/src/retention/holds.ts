/** Legal holds as periods: what their events mean (reading-the-spec: holds). */
import type { HoldPeriod } from './decide.ts'

/** A hold was set or released, at a time in epoch seconds. */
export interface HoldEvent {
  act: 'set' | 'released'
  at: number
}

/** A period with the events that it is made of; `ended` null: it still is. */
export interface HeldPeriod<Event extends HoldEvent> extends HoldPeriod {
  began: Event
  ended: Event | null
}

/**
 * The periods of one legal hold, from its events in order. Contradictions keep the hold: a second start and a release
 * without a start have no effect.
 */
export function holdPeriods<Event extends HoldEvent>(events: readonly Event[]): HeldPeriod<Event>[] {
  const periods: HeldPeriod<Event>[] = []
  for (const event of events) {
    const last = periods.at(-1)
    const isOpen = last !== undefined && last.ended === null
    if (event.act === 'set' && !isOpen)
      periods.push({ from: event.at, until: null, began: event, ended: null })
    if (event.act === 'released' && isOpen) {
      last.ended = event
      last.until = event.at
    }
  }
  return periods
}
