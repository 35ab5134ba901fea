import { FILTER_LIMIT, REVIEW_WEEKS_LIMIT, type markEndpoints } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type Handlers } from '../../http/context.ts'
import { timeRange } from '../../http/time-range.ts'
import { matchingConversations, type ReadSearchPage } from '../lists/matching.ts'
import { assertUnchanged } from '../../http/etag.ts'
import {
  findReviewSettings,
  lockReviewSettings,
  findReviewWeeks,
  findUnmarkedOfConversations,
  writeReviewSettings,
} from './store.ts'
import { addMark, decideMark, listMarks, markEach, markPayloads, withdrawMarks } from './write.ts'

type Calls = keyof typeof markEndpoints

/** Calls for reviewers to mark payloads, and for supervisors to see review coverage. */
export const markRoutes = (ctx: AppContext, readSearchPage: ReadSearchPage): Handlers<Calls> => ({
  addMark: addMark(ctx),
  decideMark: decideMark(ctx),
  listMarks: listMarks(ctx),
  markConversations,
  markPayloads: markPayloads(readSearchPage),
  withdrawMarks,
  countReviews,
  readReviewSettings: (context) =>
    context.read(async (q) => ({ client: context.caller.client, ...(await findReviewSettings(q)) })),
  saveReviewSettings: (context, { body }) =>
    context.write(async (tx) => {
      assertUnchanged(context, (await lockReviewSettings(tx)).version)
      await writeReviewSettings(tx, body, { now: context.now, by: getActor(context.caller) })
      return { client: context.caller.client, ...(await findReviewSettings(tx)) }
    }),
})

const countReviews: Handler<'countReviews'> = async (context, { query }) => {
  const lanes = context.caller.access.lanes(context.action)
  const found = await context.readFromReplica((q) =>
    findReviewWeeks(q, { lanes, ...timeRange(query) }, REVIEW_WEEKS_LIMIT + 1),
  )
  return { weeks: found.slice(0, REVIEW_WEEKS_LIMIT), is_cut: found.length > REVIEW_WEEKS_LIMIT }
}

/** Marks what the caller has read of chosen conversations, or of all that match the filter. */
const markConversations: Handler<'markConversations'> = async (
  context,
  { query, body: { mark, payload_references, replaces_mark = false } },
) => {
  const chosen = payload_references
    ? { references: payload_references, is_cut: false }
    : await matchingConversations(context, query)
  return context.write(async (tx, log_id) => {
    const { caller, action } = context
    const within = { lanes: caller.access.lanes(action), person: getActor(caller), replaces_mark }
    const found = await findUnmarkedOfConversations(tx, chosen.references, within, FILTER_LIMIT + 1)
    const each = await markEach(tx, context, found.references.slice(0, FILTER_LIMIT), { mark, log_id })
    const marks = each.flatMap(({ payload_reference, mark_id }) =>
      mark_id ? [{ payload_reference, mark_id }] : [],
    )
    context.noteFacts({ recordings: marks.length, conversations: chosen.references.length })
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
