/** What may be done with a request for support access, and why not (reading-the-spec: support access). */
import { type ApprovalState, SUPPORT_ACCESS_DAYS, type SupportAccess } from '@custodia/contract'

/** What decides how a request stands. */
export type SupportRequest = Pick<
  SupportAccess,
  'approval_state' | 'requested_by' | 'requested_expiry' | 'approval_expiry'
>

/**
 * The state at a moment: a request that waited beyond its requested expiry, or an approval beyond its own, has
 * expired, whether or not that was written down. An approval without expiry counts as expired.
 */
export function stateAt(
  request: Pick<SupportRequest, 'approval_state' | 'requested_expiry' | 'approval_expiry'>,
  now: number,
): ApprovalState {
  const { approval_state, requested_expiry, approval_expiry } = request
  if (approval_state === 'pending') return now < requested_expiry ? 'pending' : 'expired'
  if (approval_state === 'approved') {
    return now < Math.min(approval_expiry ?? 0, requested_expiry) ? 'approved' : 'expired'
  }
  return approval_state
}

/** The latest expiry that an approval given now may have, in epoch seconds. */
export function latestApprovalExpiry(
  { requested_expiry }: Pick<SupportRequest, 'requested_expiry'>,
  now: number,
): number {
  return Math.min(requested_expiry, now + SUPPORT_ACCESS_DAYS * 86_400)
}

export type SupportAction = 'approve' | 'reject' | 'revoke' | 'cancel'

export type SupportFacts = {
  /** Epoch seconds. */
  now: number
  /** Who wishes it: for `cancel` and `start` a person of the provider, as `requested_by` is. */
  by: string
  /** For `approve`: whether the person of the client is the requester, by identity provider and subject. */
  is_requester?: boolean
  /** For `approve`, epoch seconds. */
  approval_expiry?: number | undefined
  /** For `reject`. */
  rejection_reason?: string | undefined
}

/** Why somebody cannot have a wish at all, whatever they add to it. */
export type SupportObstacle = 'not_requester' | 'wrong_state' | 'self_approval'

export type SupportRefusal =
  | SupportObstacle
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
} as const satisfies Record<SupportAction, { from: ApprovalState; to: ApprovalState }>

/**
 * Why a wish is not to be had, or why support mode cannot `start`; undefined when it can. Who may wish what at all is a matter of actions.
 */
export function supportObstacle(
  request: SupportRequest,
  input: SupportAction | 'start',
  { now, by, is_requester = false }: Pick<SupportFacts, 'now' | 'by' | 'is_requester'>,
): SupportObstacle | undefined {
  // What colleagues asked for stays theirs: a client decides on it, and reads who asked.
  if ((input === 'cancel' || input === 'start') && by !== request.requested_by) return 'not_requester'
  const from = input === 'start' ? 'approved' : SUPPORT_TRANSITIONS[input].from
  if (stateAt(request, now) !== from) return 'wrong_state'
  return input === 'approve' && is_requester ? 'self_approval' : undefined
}

/** What a wish makes of a request, or why it is refused. */
export function transition(
  request: SupportRequest,
  input: SupportAction,
  facts: SupportFacts,
): SupportTransition {
  const code = supportObstacle(request, input, facts) ?? incomplete(request, input, facts)
  return code === undefined
    ? { ok: true, approval_state: SUPPORT_TRANSITIONS[input].to }
    : { ok: false, code }
}

/** What a wish lacks. */
function incomplete(
  request: SupportRequest,
  input: SupportAction,
  { now, approval_expiry, rejection_reason }: SupportFacts,
): SupportRefusal | undefined {
  if (input === 'reject' && !rejection_reason?.trim()) return 'reason_required'
  if (input !== 'approve') return undefined
  if (approval_expiry === undefined) return 'expiry_required'
  if (approval_expiry <= now) return 'expiry_in_past'
  return approval_expiry > latestApprovalExpiry(request, now) ? 'expiry_too_late' : undefined
}
