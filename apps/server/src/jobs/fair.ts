/** Workers of one kind of task. */
export interface Lane {
  /** Tasks that one worker takes at a time. */
  readonly batch: number
  /** Workers in each process. */
  readonly workers: number
}

/** Where a task waits, and what it costs its client. */
export interface Place {
  readonly lane: string
  /** Seconds of a core, as estimated. */
  readonly cost: number
}

/**
 * How work that clients cause is shared out: every client gets its share of the workers of each lane, by cost, over all processes.
 * Who asks for much delays nobody but itself.
 */
export interface FairShare<T> {
  readonly lanes: Readonly<Record<string, Lane>>
  client(input: T): number
  place(input: T): Place
}

/** Thrown by work that turns out to cost something else than was thought: it waits again, in that place. */
export class MovedTo extends Error {
  override name = 'MovedTo'
  readonly place: Place
  constructor(place: Place) {
    super(`moved to ${place.lane}`)
    this.place = place
  }
}
