import type { Place } from '../ports/jobs.ts'
/** Thrown by work with another cost than estimated: it waits again in that lane. */
export class MovedTo extends Error {
  override name = 'MovedTo'
  readonly place: Place
  constructor(place: Place) {
    super(`moved to ${place.lane}`)
    this.place = place
  }
}
