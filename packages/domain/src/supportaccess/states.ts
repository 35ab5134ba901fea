/** The life of a request for support access (reading-the-spec: support access). */
import { SUPPORT_ACCESS_DAYS } from '@custodia/contract'
import type { ApprovalState, SupportAccess } from '@custodia/contract'

export type SupportRequest = Pick<
  SupportAccess,
  'approval_state' | 'requested_by' | 'requested_expiry' | 'approval_expiry'
>
export type SupportWish = 'approve' | 'reject' | 'revoke' | 'cancel'

export type SupportFacts = {
  /** Epoch seconds. */
  now: number
  /** Who wishes it, spelled as `requested_by` is. */
  by: string
  /** For `approve`, epoch seconds. */
  approval_expiry?: number | undefined
  /** For `reject`. */
  rejection_reason?: string | undefined
}

export type SupportRefusal =
  | 'wrong_state'
  | 'self_approval'
  | 'expiry_required'
  | 'expiry_in_past'
  | 'expiry_too_late'
  | 'reason_required'

export type SupportTransition =
  | { ok: true; approval_state: ApprovalState }
  | { ok: false; code: SupportRefusal }

/** Which state a wish needs and which it leads to. Expiry is no wish: see `stateAt`. */
export const SUPPORT_TRANSITIONS = {
  approve: { from: 'pending', to: 'approved' },
  reject: { from: 'pending', to: 'rejected' },
  cancel: { from: 'pending', to: 'canceled' },
  revoke: { from: 'approved', to: 'revoked' },
} as const satisfies Record<SupportWish, { from: ApprovalState; to: ApprovalState }>

const DAY = 86_400

/**
 * The state at a moment: a request that waited beyond its requested expiry, or an approval beyond its own, has
 * expired, whether or not that was written down. An approval without expiry counts as expired.
 */
export function stateAt(request: SupportRequest, now: number): ApprovalState {
  const { approval_state, requested_expiry, approval_expiry } = request
  if (approval_state === 'pending') return now < requested_expiry ? 'pending' : 'expired'
  if (approval_state === 'approved') {
    return now < Math.min(approval_expiry ?? 0, requested_expiry) ? 'approved' : 'expired'
  }
  return approval_state
}

/** The latest expiry that an approval given now may have, in epoch seconds. */
export function latestApprovalExpiry({ requested_expiry }: SupportRequest, now: number): number {
  return Math.min(requested_expiry, now + SUPPORT_ACCESS_DAYS * DAY)
}

/** What a wish makes of a request, or why it is refused. Who may wish what at all is a matter of actions. */
export function transition(
  request: SupportRequest,
  wish: SupportWish,
  { now, by, approval_expiry, rejection_reason }: SupportFacts,
): SupportTransition {
  const { from, to } = SUPPORT_TRANSITIONS[wish]
  if (stateAt(request, now) !== from) return refused('wrong_state')
  if (wish === 'reject' && !rejection_reason?.trim()) return refused('reason_required')
  if (wish === 'approve') {
    if (by === request.requested_by) return refused('self_approval')
    if (approval_expiry === undefined) return refused('expiry_required')
    if (approval_expiry <= now) return refused('expiry_in_past')
    if (approval_expiry > latestApprovalExpiry(request, now)) return refused('expiry_too_late')
  }
  return { ok: true, approval_state: to }
}

const refused = (code: SupportRefusal): SupportTransition => ({ ok: false, code })
