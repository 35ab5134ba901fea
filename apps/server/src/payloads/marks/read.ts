import type { Own, PayloadMark } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { readOwn } from '../own-store.ts'
import { readText } from './sealing.ts'
import { findHearers, findMarkable, findMarks, hasHeard, type Markable, type SealedMark } from './store.ts'

type Parts = Pick<AppContext, 'db' | 'keys' | 'log' | 'now'>

/**
 * The payload when the caller may do this with its marks. Problem: not_found, also when it is not visible.
 */
export async function markableInReach(
  q: Queryable,
  { caller, action }: Pick<PortalContext, 'caller' | 'action'>,
  payload_reference: string,
): Promise<Markable & { own: Own }> {
  const payload = await findMarkable(q, payload_reference)
  if (!payload || !caller.access.permits(action, payload))
    throw new Problem('not_found', { detail: payload ? 'out of reach' : 'no such payload' })
  return { ...payload, own: await readOwn(q, payload.payload_id, caller) }
}

/** The marks of a payload, and who has heard it. Problem: not_found. */
export const listMarks =
  (ctx: Parts): Handler<'listMarks'> =>
  async (context, { params: { payload_reference } }) => {
    const me = actorOf(context.caller)
    const { own, marks, hearers, isMine } = await context.read(async (q) => {
      const { payload_id, own } = await markableInReach(q, context, payload_reference)
      return {
        own,
        marks: await findMarks(q, payload_id),
        hearers: await findHearers(q, payload_id),
        isMine: await hasHeard(q, payload_id, me),
      }
    })
    return {
      payload_reference,
      marks: await Promise.all(marks.map((mark) => opened(ctx, context, payload_reference, mark))),
      own,
      heard: isMine ? 'me' : hearers.length > 0 ? 'others' : 'none',
      heard_by: hearers.filter((person) => person !== me),
    }
  }

/** A mark with its texts. */
export async function opened(
  ctx: Parts,
  { caller: { client, client_id } }: PortalContext,
  payload_reference: string,
  { sealed_note, sealed_result, wrapped_key, ...mark }: SealedMark,
): Promise<PayloadMark> {
  const place = { client, client_id, payload_reference, mark_id: mark.mark_id }
  return {
    ...mark,
    note: await readText(ctx, { ...place, text: 'note' }, wrapped_key, sealed_note),
    result: await readText(ctx, { ...place, text: 'result' }, wrapped_key, sealed_result),
  }
}
