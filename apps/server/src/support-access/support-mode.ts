import { stateAt, supportObstacle } from '@custodia/domain'
import { customerOf } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { lockSupportAccess, shown } from './store.ts'

/** Notes in both logs that the requester begins support mode. Problem: support_mode_ended, unless it could be used this moment. */
export function startSupportMode(ctx: AppContext): Handler<'startSupportMode'> {
  return async (context, { params }) => {
    const { client_id } = await customerOf(ctx, params.client)
    return context.writeFor(client_id, async (tx) => {
      const request = await existing(tx, params.request_reference)
      const { caller, now } = context
      const obstacle = supportObstacle(request, 'start', { now, by: caller.user_reference })
      if (obstacle === undefined) return request
      const detail = obstacle === 'not_requester' ? 'asked for by somebody else' : stateAt(request, now)
      throw new Problem('support_mode_ended', { detail })
    })
  }
}

/** Notes in both logs that the requester ends support mode, also when the approval has ended before. */
export function endSupportMode(ctx: AppContext): Handler<'endSupportMode'> {
  return async (context, { params }) => {
    const { client_id } = await customerOf(ctx, params.client)
    return context.writeFor(client_id, async (tx) => {
      const request = await existing(tx, params.request_reference)
      assertRequester(context, request.requested_by)
      return shown(request, context.now)
    })
  }
}

async function existing(tx: Tx, request_reference: string) {
  const request = await lockSupportAccess(tx, request_reference)
  if (!request) throw new Problem('not_found', { detail: 'no such request' })
  return request
}

function assertRequester({ caller }: PortalContext, requested_by: string): void {
  if (caller.user_reference !== requested_by)
    throw new Problem('not_found', { detail: 'asked for by somebody else' })
}
