import type { KeyObject } from 'node:crypto'
import {
  DAY,
  FILTER_LIMIT,
  type markEndpoints,
  PAYLOAD_TYPES,
  REVIEW_REPORT_FORMAT,
  REVIEW_WEEKS_LIMIT,
  ReviewReport,
  type reviewReportEndpoints,
  type ReviewWeek,
} from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type Handlers } from '../../http/context.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import { timeRange } from '../../http/time-range.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { checkSigned, type SignedKind, signReport } from '../../ports/keys/signed-file.ts'
import type { ReachLane } from '../lanes-sql.ts'
import { matchingConversations, type ReadSearchPage } from '../lists/matching.ts'
import {
  findReviewSettings,
  lockReviewSettings,
  findReviewWeeks,
  findUnmarkedOfConversations,
  listGroupNames,
  writeReviewSettings,
} from './store.ts'
import { addMark, decideMark, listMarks, markEach, markPayloads, withdrawMarks } from './write.ts'

type Calls = keyof typeof markEndpoints | keyof typeof reviewReportEndpoints

/** Calls for reviewers to mark payloads, and for supervisors to see review coverage. */
export const markRoutes = (ctx: AppContext, readSearchPage: ReadSearchPage): Handlers<Calls> => ({
  addMark: addMark(ctx),
  decideMark: decideMark(ctx),
  listMarks: listMarks(ctx),
  markConversations,
  markPayloads: markPayloads(readSearchPage),
  withdrawMarks,
  countReviews,
  readReviewReport: readReviewReport(ctx),
  readReviewSettings: (context) =>
    context.read(async (q) => ({ client: context.caller.client, ...(await findReviewSettings(q)) })),
  saveReviewSettings: (context, { body }) =>
    context.write(async (tx) => {
      assertUnchanged(context, (await lockReviewSettings(tx)).version)
      await writeReviewSettings(tx, body, { now: context.now, by: getActor(context.caller) })
      return { client: context.caller.client, ...(await findReviewSettings(tx)) }
    }),
})

const countReviews: Handler<'countReviews'> = (context, { query }) => {
  const lanes = context.caller.access.lanes(context.action)
  return context.readFromReplica((q) => readWeeks(q, lanes, wholeDays(query)))
}

/** The days of the period: counts are per day (UTC). */
function wholeDays(query: Parameters<typeof timeRange>[0]): { from: number; to: number } {
  const { from, to } = timeRange(query)
  return { from: from - (from % DAY), to: Math.ceil(to / DAY) * DAY }
}

async function readWeeks(q: Queryable, lanes: readonly ReachLane[], range: { from: number; to: number }) {
  const found = await findReviewWeeks(q, { lanes, ...range }, REVIEW_WEEKS_LIMIT + 1)
  return { weeks: found.slice(0, REVIEW_WEEKS_LIMIT), is_cut: found.length > REVIEW_WEEKS_LIMIT }
}

/** The same as a signed file, with the groups and types that were counted. */
const readReviewReport =
  ({ keys }: Pick<AppContext, 'keys'>): Handler<'readReviewReport'> =>
  async ({ action, caller, now, read }, { query }) => {
    const lanes = caller.access.lanes(action)
    const { from, to } = wholeDays(query)
    const end = Math.min(to, now)
    const { names, weeks, is_cut } = await read(async (q) => ({
      names: await listGroupNames(q),
      ...(await readWeeks(q, lanes, { from, to })),
    }))
    const sum = (act: 'heard' | 'reviewed' | 'flagged' | 'escalated') =>
      weeks.reduce((total, { [act]: count }: ReviewWeek) => total + count, 0)
    const report = {
      format: REVIEW_REPORT_FORMAT,
      client: caller.client,
      issued_at: now,
      reader: getActor(caller),
      groups: names.flatMap(({ group_id, group }) => {
        const seen = lanes.filter(({ groups }) => groups === 'all' || groups.includes(group_id))
        const payload_types = PAYLOAD_TYPES.filter((type) =>
          seen.some(({ types }) => types === 'all' || types.includes(type)),
        )
        return payload_types.length > 0 ? [{ group, payload_types }] : []
      }),
      from: Math.min(query.from === undefined ? (weeks.at(-1)?.week ?? now) : from, end),
      to: end,
      weeks,
      is_cut,
      heard: sum('heard'),
      reviewed: sum('reviewed'),
      flagged: sum('flagged'),
      escalated: sum('escalated'),
    } as const
    // Prepared, because a name that is added later would break the signature.
    return new PreparedJson(JSON.stringify(await signReport(keys, report)))
  }

const KIND: SignedKind<'report', ReviewReport['report']> = {
  member: 'report',
  format: REVIEW_REPORT_FORMAT,
  isWhole: (file): file is ReviewReport => ReviewReport.safeParse(file).success,
}

/** Verifies a report of review coverage against public keys, offline. */
export const checkReviewReport = (text: string, publicKeys: readonly KeyObject[]) =>
  checkSigned(text, KIND, publicKeys)

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
