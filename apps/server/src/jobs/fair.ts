/** Workers of one kind of task. */
export interface Lane {
  /** Tasks that one worker takes at a time. */
  readonly batch: number
  /** Workers in each process. */
  readonly workers: number
  /** Most tasks of one client that are under way at a time, over all processes. Absent: as many as there are workers. */
  readonly per_client?: number
  /** Whether work that is broken off goes on where it stopped: it is broken off at once when its process ends. */
  readonly resumes?: boolean
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
  /** Whether a sweep asks for it: what waits already, or is under way, stays as it is. Absent: it is done once more. */
  readonly is_swept?: boolean
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
