import {
  fault,
  SUPPORT_ACCESS_DAYS,
  type SupportAccess,
  type SupportAccessDecision,
} from '@custodia/contract'
import { type SupportFacts, type SupportRefusal, type SupportAction, transition } from '@custodia/domain'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { assertPerson } from '../http/assert-person.ts'
import { getActor, type Handler } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { isRequester, lockSupportAccess, writeDecision } from './store.ts'

/** Alerts the client's security staff to a request for access. */
export const requestAlert = (
  request: Pick<SupportAccess, 'request_reference' | 'requested_by' | 'requested_at' | 'role'>,
): AlertEvent => ({
  ...about(request.request_reference, request.requested_at),
  text: 'support_requested',
  values: { user: request.requested_by, role: request.role },
})

/** Alerts the provider's staff to an approval: a further occurrence of the same alert. */
const approvalAlert = (
  { request_reference, requested_by, role, approved_by, approval_expiry }: SupportAccess,
  now: number,
): AlertEvent => ({
  ...about(request_reference, now),
  text: 'support_approved',
  values: {
    user: requested_by,
    role,
    approved_by: approved_by ?? '',
    until: new Date((approval_expiry ?? now) * 1000).toISOString().slice(0, 16).replace('T', ' '),
  },
})

const about = (request_reference: string, now: number) =>
  ({
    alert_scopes: ['sec'],
    alert_type: 'AccountAlert',
    alert_key: `support-access:${request_reference}`,
    alert_severity: 'Medium',
    related_entities: [{ entity_id: request_reference, entity_type: 'SupportAccessRequest' }],
    now,
  }) as const

const REQUESTS = { approved: 'approve', rejected: 'reject', revoked: 'revoke' } as const satisfies Record<
  SupportAccessDecision['approval_state'],
  SupportAction
>

/** The client approves, rejects or revokes. A revocation counts from the next request of the provider's staff on. */
export const decideSupportAccess: Handler<'decideSupportAccess'> = (context, { params, body }) => {
  const { caller, now } = context
  assertPerson(caller)
  return context.write(async (tx) => {
    const decided = await moveSupportAccess(tx, params.request_reference, REQUESTS[body.approval_state], {
      now,
      by: getActor(caller),
      is_requester: await isRequester(tx, params.request_reference, caller.user_reference),
      approval_expiry: body.approval_state === 'approved' ? body.approval_expiry : undefined,
      rejection_reason: body.approval_state === 'rejected' ? body.rejection_reason : undefined,
    })
    // An approver may grant staff more than they may do themselves, so other security staff get an alert.
    if (decided.approval_state === 'approved')
      await raiseAlert(tx, { ...approvalAlert(decided, now), api_action: context.action })
    return decided
  })
}

/**
 * Moves a request from one state to another by the domain's rules, with its row locked. Of two concurrent decisions
 * the later one fails. Problems: not_found, wrong_state, invalid_input.
 */
export async function moveSupportAccess(
  tx: Tx,
  request_reference: string,
  input: SupportAction,
  facts: SupportFacts,
): Promise<SupportAccess> {
  const request = await lockSupportAccess(tx, request_reference)
  if (!request) throw new Problem('not_found', { detail: 'no such request' })
  const moved = transition(request, input, facts)
  if (!moved.ok) throw refused(moved.code)
  const decided: SupportAccess = {
    ...request,
    approval_state: moved.approval_state,
    ...(input === 'approve' ? { approval_expiry: facts.approval_expiry ?? null, approved_by: facts.by } : {}),
    ...(input === 'reject' ? { rejection_reason: facts.rejection_reason ?? null } : {}),
    updated_at: facts.now,
    updated_by: facts.by,
  }
  await writeDecision(tx, decided)
  return decided
}

function refused(code: SupportRefusal): Problem {
  switch (code) {
    case 'wrong_state':
      return new Problem('wrong_state')
    case 'not_requester':
      return new Problem('not_permitted', { detail: 'only the requester takes a request back' })
    case 'self_approval':
      return invalid(fault('approval_state', code))
    case 'expiry_in_past':
      return invalid(fault('approval_expiry', code))
    case 'expiry_too_late':
      return invalid(fault('approval_expiry', code, { limit: SUPPORT_ACCESS_DAYS }))
    case 'expiry_required':
      return invalid(fault('approval_expiry', 'required', { field: 'approval_expiry' }))
    case 'reason_required':
      return invalid(fault('rejection_reason', 'required', { field: 'rejection_reason' }))
  }
}

const invalid = (found: ReturnType<typeof fault>) =>
  new Problem('invalid_input', { faults: [found], detail: found.code })
