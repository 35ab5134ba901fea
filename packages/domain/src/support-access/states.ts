/** The life of a request for support access (reading-the-spec: support access). */
import { type ApprovalState, latestApprovalExpiry, stateAt, type SupportRequest } from '@custodia/contract'

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
  | 'not_requester'
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

/** What a wish makes of a request, or why it is refused. Who may wish what at all is a matter of actions. */
export function transition(
  request: SupportRequest,
  wish: SupportWish,
  { now, by, approval_expiry, rejection_reason }: SupportFacts,
): SupportTransition {
  const { from, to } = SUPPORT_TRANSITIONS[wish]
  if (stateAt(request, now) !== from) return refused('wrong_state')
  // What colleagues asked for stays theirs: a client decides on it, and reads who asked.
  if (wish === 'cancel' && by !== request.requested_by) return refused('not_requester')
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
