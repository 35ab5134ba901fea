import { CONVERSATION_MARKS_LIMIT } from '@custodia/contract'
import { actorOf, type Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { findUnmarkedOfConversation } from './store.ts'
import { markableInReach, markEach } from './write.ts'

/**
 * Marks what the caller has read of a conversation. Problems: not_found, also for a payload without a conversation;
 * own_recording, when all of it is the caller's own.
 */
export const markConversation: Handler<'markConversation'> = async (context, { params, body: { mark } }) =>
  context.write(async (tx, log_id) => {
    const { caller, action } = context
    const { payload_id } = await markableInReach(tx, context, params.payload_reference)
    const within = { payload_id, lanes: caller.access.lanes(action), person: actorOf(caller) }
    const found = await findUnmarkedOfConversation(tx, within, CONVERSATION_MARKS_LIMIT)
    if (!found) throw new Problem('not_found', { detail: 'no conversation' })
    const each = await markEach(tx, context, found.references, { mark, log_id })
    const marks = each.flatMap(({ payload_reference, mark_id }) =>
      mark_id ? [{ payload_reference, mark_id }] : [],
    )
    const own = each.filter(({ status }) => status === 'OwnRecording').length
    if (own > 0 && marks.length === 0) throw new Problem('own_recording')
    return { marks, unopened_count: found.unopened_count }
  })
