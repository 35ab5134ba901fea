import { api, type Page, type PayloadComment, PAYLOAD_STATES } from '@custodia/contract'
import { type Access, hasPhrases, takesComments } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { getPage } from '../../http/page.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'
import { getCodes } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { CLOSING, readBody } from '../comment-body.ts'
import type { ReachLane } from '../lanes-sql.ts'
import { resolveFilter } from '../lists/store/filter.ts'
import { COMMENTS, type ResolvedWords, resolveWords } from '../lists/store/words.ts'
import {
  type CommentFilter,
  type CommentKey,
  countComments,
  countVersions,
  findComments,
  findVersions,
  type SealedComment,
} from './list-store.ts'
import { type CommentedPayload, getDuration, findCommented } from './store.ts'

type Context = Pick<PortalContext, 'caller' | 'action' | 'request'>

/**
 * The payload when the caller may do this with its comments. Problems: as `refusalOf`.
 */
export async function commentedInReach(
  q: Queryable,
  context: Context,
  payload_reference: string,
  lock?: 'for share',
): Promise<CommentedPayload> {
  const payload = await findCommented(q, payload_reference, lock)
  const noun = context.request.method === 'GET' ? undefined : 'payloads'
  return withinReach(context, payload && takesComments(payload) ? payload : undefined, noun)
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

/** The permission to read closed comments. */
const HISTORY = api.listCommentsOfPayload.action.of.closed

type Parts = Pick<AppContext, 'cursors' | 'db' | 'keys' | 'log' | 'now'>
type ListQuery = Parameters<typeof getPage>[1]['query'] & { type: 'page' | 'total' }

/** Most bytes of comment texts in a page: two hundred of the longest would be eight million. */
const PAGE_BYTES = 1_000_000
const HEAVY = { getBytes: (row: { sealed_body: Buffer }) => row.sealed_body.length, most: PAGE_BYTES }

/** Comments on payloads that the caller may see, newest first. */
export const listComments =
  (ctx: Parts): Handler<'listComments'> =>
  (context, { query }) => {
    const { authors, groups, payload_types, show } = query
    const lanes = context.caller.access.lanes(context.action)
    const filter = { lanes, show, authors, groups, payload_types, ...timeRange(query) }
    return listed(ctx, context, { name: 'comments', filter, query })
  }

/** Resolves a comment search to tokens of the months in which the lanes have its words; no lanes without any. */
export async function resolveCommentWords(
  ctx: Pick<AppContext, 'keys'>,
  q: Queryable,
  { client, access }: { client: string; access: Pick<Access, 'matters'> },
  typed: string,
  lanes: readonly ReachLane[],
): Promise<ResolvedWords & Pick<CommentFilter, 'lanes'> & { tokens: string[][] }> {
  const scope = lanes.map(({ types, groups }) => ({
    service: COMMENTS,
    types: types === 'all' ? null : getCodes(types),
    groups: groups === 'all' ? null : groups,
  }))
  const words = await resolveWords(ctx, q, { client, typed, scope, isLimited: access.matters !== undefined })
  const { terms, periods } = words
  const tokens = terms.map((term) => periods.flatMap((period) => words.getTokens(term, COMMENTS, period)))
  return { ...words, tokens, lanes: periods.length > 0 ? lanes : [] }
}

/** Most comments that a count opens to compare quoted text. */
const OPENED = 200

const hasAll = ({ comment_body }: PayloadComment, phrases: ResolvedWords['phrases']): boolean =>
  hasPhrases([comment_body ?? ''], phrases)

/** The recordings that comments may be about; null: any, undefined: none can match. */
async function getRecordings(
  { caller, read }: PortalContext,
  query: Parameters<Handler<'searchComments'>>[1]['query'],
): Promise<CommentFilter['recordings'] | null> {
  const { search, device_user_reference, number, mark, marked_by_me } = query
  if ([search, device_user_reference, number, mark].every((each) => each === undefined)) return null
  const asked = { search, device_user_reference, number, mark, marked_by_me, reader: getActor(caller) }
  const filter = await read((q) =>
    resolveFilter(q, caller.access, 'payloads:list', {
      ...asked,
      states: [...PAYLOAD_STATES],
      date_filter: 'payload_time',
      order: 'newest',
    }),
  )
  return filter && { filter: { ...filter, is_copy: undefined }, lanes: caller.access.lanes('payloads:list') }
}

/** Comments whose last version contains the words. Problems: content_search_off, invalid_input. */
export const searchComments =
  (ctx: Parts): Handler<'searchComments'> =>
  async (context, { query, body }) => {
    const { caller, action, readFromReplica } = context
    const { client_id } = caller
    const { authors, groups, payload_types, show } = query
    const reach = caller.access.lanes(action)
    const words = await context.read((q) => resolveCommentWords(ctx, q, caller, body.words, reach))
    const { phrases, tokens, is_complete } = words
    const recordings = await getRecordings(context, query)
    // A filter that no recording matches.
    const lanes = recordings === undefined ? [] : words.lanes
    const filter: CommentFilter = {
      lanes,
      show,
      authors,
      groups,
      payload_types,
      words: tokens,
      ...timeRange(query),
      ...(recordings && { recordings }),
    }
    if (query.type === 'total') {
      if (phrases.length === 0)
        return { ...(await readFromReplica((q) => countComments(q, filter))), is_complete }
      const found = await readFromReplica((q) => findComments(q, filter, undefined, OPENED))
      const opened = (await openAll(ctx, context, found)).filter((row) => hasAll(row, phrases))
      return { total: opened.length, is_complete, ...(found.length === OPENED && { is_capped: true }) }
    }
    const asked = { name: 'searchComments', client_id, query: { ...query, words: body.words } }
    const page: Page<SealedComment> = await getPage(
      ctx.cursors,
      asked,
      (from: CommentKey | undefined, limit) => readFromReplica((q) => findComments(q, filter, from, limit)),
      ({ raised_at, comment_id }): CommentKey => [raised_at, comment_id],
    )
    const opened = await openAll(ctx, context, page.data)
    const data = opened.filter((row) => hasAll(row, phrases))
    return { ...page, count: data.length, data, is_complete }
  }

/** The comments on one payload. Problem: not_found, where the caller may not read comments on it. */
export const listCommentsOfPayload =
  (ctx: Parts): Handler<'listCommentsOfPayload'> =>
  async (context, { params: { payload_reference }, query }) => {
    const { payload_id } = await context.readFromReplica((q) =>
      commentedInReach(q, context, payload_reference),
    )
    const filter = { lanes: context.caller.access.lanes(context.action), show: query.show, payload_id }
    return listed(ctx, context, { name: `comments of ${payload_reference}`, filter, query })
  }

/**
 * All versions of a comment. Problem: not_found, also for closed comments without the permission to see the
 * history.
 */
export const listCommentVersions =
  (ctx: Parts): Handler<'listCommentVersions'> =>
  async (context, { params: { payload_reference, comment_id }, query }) => {
    const { client, client_id } = context.caller
    const { wrapped_key, closed_at } = await context.readFromReplica((q) =>
      commentInReach(q, context, payload_reference, comment_id),
    )
    if (closed_at !== null)
      await context.readFromReplica((q) =>
        commentedInReach(q, { ...context, action: HISTORY }, payload_reference),
      )
    if (query.type === 'total')
      return { total: await context.readFromReplica((q) => countVersions(q, comment_id)) }
    const page = await getPage(
      ctx.cursors,
      { name: `versions of ${comment_id}`, client_id, query },
      (from: readonly [number] | undefined, limit) =>
        context.readFromReplica((q) => findVersions(q, comment_id, from?.[0], limit)),
      ({ comment_version }) => [comment_version] as const,
      HEAVY,
    )
    const data = await Promise.all(
      page.data.map(async ({ sealed_body, start_time, duration, ...version }) => ({
        client,
        ...version,
        comment_duration: getDuration(start_time, duration),
        comment_body: await readBody(
          ctx,
          {
            client,
            client_id,
            payload_reference,
            comment_id,
            comment_version: version.comment_version,
            by: version.updated_by,
          },
          wrapped_key,
          sealed_body,
        ),
      })),
    )
    return { ...page, data }
  }

async function listed(
  ctx: Parts,
  context: PortalContext,
  { name, filter, query }: { name: string; filter: CommentFilter; query: ListQuery },
) {
  const { client_id } = context.caller
  if (query.type === 'total') return context.readFromReplica((q) => countComments(q, filter))
  const page: Page<SealedComment> = await getPage(
    ctx.cursors,
    { name, client_id, query },
    (from: CommentKey | undefined, limit) =>
      context.readFromReplica((q) => findComments(q, filter, from, limit)),
    ({ raised_at, comment_id }): CommentKey => [raised_at, comment_id],
    HEAVY,
  )
  return { ...page, data: await openAll(ctx, context, page.data) }
}

/** The comments with their texts. */
export const openAll = (
  ctx: Parts,
  { caller: { client, client_id } }: PortalContext,
  comments: readonly SealedComment[],
): Promise<PayloadComment[]> =>
  Promise.all(
    comments.map(async ({ wrapped_key, sealed_body, sealed_reason, ...comment }) => {
      const place = { client, client_id, ...comment, by: comment.updated_by }
      const closing = { ...place, comment_version: CLOSING, by: comment.closed_by ?? '' }
      return {
        client,
        ...comment,
        is_closed: comment.closed_at !== null,
        closed_reason: sealed_reason && (await readBody(ctx, closing, wrapped_key, sealed_reason)),
        comment_body: await readBody(ctx, place, wrapped_key, sealed_body),
      }
    }),
  )
