import { type ApprovalState, SUPPORT_ACCESS_DAYS, type SupportAccess } from '@custodia/contract'

const HOUR = 3_600
const DAY = 24 * HOUR

/** The state of a request as of `now` (epoch seconds): what ran out is expired, whether or not it was read since. */
export function standing(
  request: Pick<SupportAccess, 'approval_state' | 'requested_expiry' | 'approval_expiry'>,
  now: number,
): ApprovalState {
  const { approval_state, requested_expiry, approval_expiry } = request
  const end =
    approval_state === 'pending' ? requested_expiry : approval_state === 'approved' ? approval_expiry : null
  return end !== null && end <= now ? 'expired' : approval_state
}

export type ExpiryId = 'hour' | 'hours' | 'day' | 'requested' | 'longest'
export interface ExpiryChoice {
  id: ExpiryId
  /** Epoch seconds. */
  at: number
}

/**
 * The times until which a request may be approved: some presets, and as long as was requested. Never beyond that, and
 * never beyond the most that an approval may last; then the longest possible stands in its place.
 *
 * @param now epoch seconds
 */
export function expiryChoices(requested_expiry: number, now: number): ExpiryChoice[] {
  const latest = Math.min(requested_expiry, now + SUPPORT_ACCESS_DAYS * DAY)
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
