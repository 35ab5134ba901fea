import { REVIEW_WEEKS_LIMIT } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type Handlers } from '../../http/context.ts'
import { timeRange } from '../../http/time-range.ts'
import type { ReadSearchPage } from '../lists/matching.ts'
import { markConversations } from './conversation.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { findReviewSettings, findReviewWeeks, writeReviewSettings } from './store.ts'
import { addMark, decideMark, listMarks, markPayloads, withdrawMarks } from './write.ts'

type Calls =
  | 'addMark'
  | 'countReviews'
  | 'decideMark'
  | 'listMarks'
  | 'markConversations'
  | 'markPayloads'
  | 'readReviewSettings'
  | 'saveReviewSettings'
  | 'withdrawMarks'

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
      assertUnchanged(context, (await findReviewSettings(tx, 'for update')).version)
      await writeReviewSettings(tx, body, { now: context.now, by: actorOf(context.caller) })
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
