import type { Place } from '../ports/jobs.ts'
/** Thrown by work that turns out to cost something else than was thought: it waits again, in that place. */
export class MovedTo extends Error {
  override name = 'MovedTo'
  readonly place: Place
  constructor(place: Place) {
    super(`moved to ${place.lane}`)
    this.place = place
  }
}
