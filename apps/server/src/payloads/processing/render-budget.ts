import { MovedTo } from '../../jobs/fair.ts'
import { CPU_SECONDS, MediaError, type MediaLimits } from '../../ports/media/index.ts'

/** Lanes of renditions, so that short ones never wait for long ones. */
export const SHORT_LANE = 'renditions'
export const LONG_LANE = 'long_renditions'

/**
 * Estimated CPU seconds that one payload may take, because the system ends ffmpeg after as many. Enough for a
 * day of sound (half of it) or an hour of full HD film at 30 frames a second.
 */
export const BUDGET = CPU_SECONDS
/** Estimated CPU seconds of a short task: a call of 25 minutes. */
export const SHORT = 30
/** Limits of a short task, for recordings with misleading metadata: those are not short. */
const SHORT_LIMITS: Partial<MediaLimits> = { cpu_seconds: 2 * SHORT, run_seconds: 6 * SHORT }

/** The budget of one attempt at a rendition, by lane. */
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
   * Called before decoding. Throws MediaError (`limit`) for a cost over any payload's budget, and MovedTo for
   * a cost over a short task's; never moves a task of the long lane.
   */
  spend(cost: number): void {
    if (cost > BUDGET) throw new MediaError('limit', 'the conversion would take too long')
    if (!this.#is_long && cost > SHORT) throw new MovedTo({ lane: LONG_LANE, cost })
    this.#is_spent = true
  }

  /**
   * Throws MovedTo when a short task reached a limit: it runs once again as a long one, charged the most
   * because its estimate was wrong.
   */
  reconsider({ code }: MediaError): void {
    if (code === 'limit' && this.#is_spent && !this.#is_long)
      throw new MovedTo({ lane: LONG_LANE, cost: BUDGET })
  }
}
