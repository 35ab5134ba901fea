import { ApiProblem } from '@custodia/client'
import type { PhoneClock } from './clock.ts'

/** How stubbornly a phone repeats what did not get through. */
export interface RetryPolicy {
  /** Tries in all. */
  tries: number
  /** Pause before the second try; doubled before each further one. */
  firstPauseMs: number
  longestPauseMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { tries: 6, firstPauseMs: 500, longestPauseMs: 30_000 }

/** Statuses that may be different a moment later. */
const PASSING_STATUSES = new Set([408, 425, 429])

/** Whether repeating the very same request can help: no network, or a server that is not well. */
export function isPassing(status: number): boolean {
  return status >= 500 || PASSING_STATUSES.has(status)
}

/** A request that got no answer, or one that may be different a moment later. `retry_after` in seconds, as the server asked. */
export class PassingFailure extends Error {
  readonly retry_after: number | undefined
  constructor(message: string, options: { retry_after?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'PassingFailure'
    this.retry_after = options.retry_after
  }
}

/**
 * Repeats `attempt` while its failure may pass, with growing pauses. Each is shortened by up to a half at random, so that a fleet does
 * not come back all at once after an outage. Failures that will not pass, and the last one, are thrown.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  clock: PhoneClock,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt()
    } catch (error) {
      if (tried >= policy.tries || !mayPass(error)) throw error
      const asks = error instanceof PassingFailure || error instanceof ApiProblem
      const asked = asks ? (error.retry_after ?? 0) * 1000 : 0
      const pause = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (tried - 1))
      await clock.sleep(Math.max(Math.min(asked, policy.longestPauseMs), pause * (0.5 + Math.random() / 2)))
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiProblem) return isPassing(error.status)
  // fetch reports a network that is down, or a connection that broke, as a TypeError.
  return error instanceof PassingFailure || error instanceof TypeError
}
