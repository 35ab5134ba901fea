import { latestApprovalExpiry } from '@custodia/domain/can'

const HOUR = 3_600
const DAY = 24 * HOUR

export type ExpiryId = 'hour' | 'hours' | 'day' | 'requested' | 'longest'
export interface ExpiryChoice {
  id: ExpiryId
  /** Epoch seconds. */
  at: number
}

/**
 * Expiry choices of an approval: presets and the requested time, at most the maximum duration.
 * @param now epoch seconds
 */
export function expiryChoices(requested_expiry: number, now: number): ExpiryChoice[] {
  const latest = latestApprovalExpiry({ requested_expiry }, now)
  const presets: ExpiryChoice[] = [
    { id: 'hour', at: now + HOUR },
    { id: 'hours', at: now + 4 * HOUR },
    { id: 'day', at: now + DAY },
  ]
  return [
    ...presets.filter(({ at }) => at < latest),
    { id: latest === requested_expiry ? 'requested' : 'longest', at: latest },
  ]
}
