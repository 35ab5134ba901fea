import { MovedTo } from '../../jobs/fair.ts'
import { CPU_SECONDS, MediaError, type MediaLimits } from '../../ports/media/index.ts'

/** Lanes in which renditions wait: what is short never waits for what is long. */
export const SHORT_LANE = 'renditions'
export const LONG_LANE = 'long_renditions'

/**
 * Seconds of a core, as estimated, that one payload may take: after as many the system ends ffmpeg, so what needs more is not begun. It is
 * enough for a day of sound (half of it) and for an hour of film in full HD at 30 frames a second, the most that phones commonly hold.
 */
export const BUDGET = CPU_SECONDS
/** Seconds of a core, as estimated, that a short task may take: a call of 25 minutes. */
export const SHORT = 30
/** Limits of a short task, for recordings that say less than they hold: then it was not short. */
const SHORT_LIMITS: Partial<MediaLimits> = { cpu_seconds: 2 * SHORT, run_seconds: 6 * SHORT }

/** What one attempt at a rendition may spend, by the lane it runs in. */
export class RenderBudget {
  readonly #is_long: boolean
  #is_spent = false

  constructor(lane: string) {
    this.#is_long = lane === LONG_LANE
  }

  get limits(): Partial<MediaLimits> {
    return this.#is_long ? {} : SHORT_LIMITS
  }

  /**
   * Asked before anything is decoded. Throws MediaError (`limit`) for what costs more than any payload may, and MovedTo for what costs
   * more than a short task; in the lane of the long ones it is never moved again.
   */
  spend(cost: number): void {
    if (cost > BUDGET) throw new MediaError('limit', 'the conversion would take too long')
    if (!this.#is_long && cost > SHORT) throw new MovedTo({ lane: LONG_LANE, cost })
    this.#is_spent = true
  }

  /** A short task that came to a limit tries once more as a long one: throws MovedTo then. Its estimate was wrong, so it is charged the most. */
  reconsider({ code }: MediaError): void {
    if (code === 'limit' && this.#is_spent && !this.#is_long)
      throw new MovedTo({ lane: LONG_LANE, cost: BUDGET })
  }
}
