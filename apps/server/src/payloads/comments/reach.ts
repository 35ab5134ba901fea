import { takesComments } from '@custodia/domain'
import type { PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { findComments, type SealedComment } from './list-store.ts'
import { type Commented, findCommented } from './store.ts'

type Context = Pick<PortalContext, 'caller' | 'action'>

/**
 * The payload when the caller may do this with its comments. Problem: not_found, also when it is not visible.
 */
export async function commentedInReach(
  q: Queryable,
  { caller, action }: Context,
  payload_reference: string,
): Promise<Commented> {
  const payload = await findCommented(q, payload_reference)
  if (!payload || !takesComments(payload) || !caller.access.permits(action, payload))
    throw new Problem('not_found', { detail: payload ? 'out of reach' : 'no such payload' })
  return payload
}

/** One comment on a visible payload, closed or not. Problem: not_found. */
export async function commentInReach(
  q: Queryable,
  context: Context,
  payload_reference: string,
  comment_id: string,
): Promise<SealedComment> {
  const { payload_id } = await commentedInReach(q, context, payload_reference)
  const lanes = context.caller.access.lanes(context.action)
  const [comment] = await findComments(q, { lanes, show: 'all', payload_id, comment_id }, undefined, 1)
  if (!comment) throw new Problem('not_found', { detail: 'no such comment' })
  return comment
}
