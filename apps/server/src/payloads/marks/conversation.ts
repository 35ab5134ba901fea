import { FILTER_LIMIT } from '@custodia/contract'
import { actorOf, type Handler } from '../../http/context.ts'
import { matchingConversations } from '../lists/matching.ts'
import { findUnmarkedOfConversations } from './store.ts'
import { markEach } from './write.ts'

/** Marks what the caller has read of chosen conversations, or of all that match the filter. */
export const markConversations: Handler<'markConversations'> = async (
  context,
  { query, body: { mark, payload_references, replaces_mark = false } },
) => {
  const chosen = payload_references
    ? { references: payload_references, is_cut: false }
    : await matchingConversations(context, query)
  return context.write(async (tx, log_id) => {
    const { caller, action } = context
    const within = { lanes: caller.access.lanes(action), person: actorOf(caller), replaces_mark }
    const found = await findUnmarkedOfConversations(tx, chosen.references, within, FILTER_LIMIT + 1)
    const each = await markEach(tx, context, found.references.slice(0, FILTER_LIMIT), { mark, log_id })
    const marks = each.flatMap(({ payload_reference, mark_id }) =>
      mark_id ? [{ payload_reference, mark_id }] : [],
    )
    context.noteFacts({ recordings: marks.length })
    const named = new Set(found.named)
    return {
      data: (payload_references ?? []).map((payload_reference) => ({
        payload_reference,
        status: named.has(payload_reference) ? 'Ok' : 'NoMatchingRecord',
      })),
      marks,
      unopened_count: found.unopened_count,
      own_count: each.filter(({ status }) => status === 'OwnRecording').length,
      is_cut: chosen.is_cut || found.references.length > FILTER_LIMIT,
    }
  })
}
