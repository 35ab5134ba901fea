import { fault, SUPPORT_REQUEST_DAYS } from '@custodia/contract'
import { SYSTEM_ROLES } from '@custodia/domain'
import { ulid } from 'ulid'
import { raiseAlert } from '../alerts/raise.ts'
import { customerOf } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findIdentity } from '../sessions/store.ts'
import { requestAlert } from './alerts.ts'
import { hasOwnRole, insertSupportAccess } from './store.ts'

/**
 * Stores a request of staff for access to a client under one of its roles, and alerts the client's security staff.
 */
export function requestSupportAccess(ctx: AppContext): Handler<'requestSupportAccess'> {
  return async (context, { params, body }) => {
    const client = await customerOf(ctx, params.client)
    const { caller, now } = context
    if (body.requested_expiry <= now) throw invalid(fault('requested_expiry', 'expiry_in_past'))
    if (body.requested_expiry > now + SUPPORT_REQUEST_DAYS * 86_400)
      throw invalid(fault('requested_expiry', 'expiry_too_far', { limit: SUPPORT_REQUEST_DAYS }))
    const request = {
      ...body,
      request_reference: ulid(now * 1000),
      requested_by: caller.user_reference,
      requested_at: now,
    }
    const requester = await context.read((q) => findIdentity(q, caller.user_reference))
    await context.writeFor(client.client_id, async (tx) => {
      if (!(await hasRole(tx, body.role)))
        throw invalid(fault('role', 'unknown_reference', { value: body.role }))
      await insertSupportAccess(tx, request, requester)
      await raiseAlert(tx, { ...requestAlert(request), api_action: context.action })
    })
    return {
      ...request,
      client: client.client,
      approval_state: 'pending',
      approval_expiry: null,
      approved_by: null,
      rejection_reason: null,
      updated_at: now,
      updated_by: caller.user_reference,
    }
  }
}

const hasRole = async (tx: Tx, role: string): Promise<boolean> =>
  SYSTEM_ROLES.some(({ role_reference }) => role_reference === role) || hasOwnRole(tx, role)

const invalid = (found: ReturnType<typeof fault>) =>
  new Problem('invalid_input', { faults: [found], detail: found.code })
