import type { AttemptOutcome, ClaimedDelivery } from './delivery-store.ts'

/** Seconds after the first, second, … attempt until the next one; after the last of these a delivery is given up. */
export const PAUSES = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** Seconds after which another worker takes over what this one had begun. */
export const LEASE = 60

/**
 * The state of a delivery after an attempt.
 * @param last_error the error; null: delivered
 * @param isFinal whether another attempt is useless
 */
export function getOutcome(
  { delivery_id, attempts }: Pick<ClaimedDelivery, 'delivery_id' | 'attempts'>,
  last_error: string | null,
  now: number,
  isFinal = false,
): AttemptOutcome {
  const pause = isFinal ? undefined : PAUSES[attempts - 1]
  const delivery_state = last_error === null ? 'delivered' : pause === undefined ? 'dead' : 'waiting'
  return { delivery_id, attempts, delivery_state, next_at: now + (pause ?? 0), last_error }
}
