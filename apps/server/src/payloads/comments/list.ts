import type { Page, PayloadComment } from '@custodia/contract'
import type { House } from '../../house.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import { timeRange } from '../../http/time-range.ts'
import { readBody } from './body.ts'
import {
  type CommentFilter,
  type CommentKey,
  countComments,
  countVersions,
  findComments,
  findVersions,
  type SealedComment,
} from './list-store.ts'
import { commentInReach, commentedInReach } from './reach.ts'
import { durationOf } from './store.ts'

type Parts = Pick<House, 'cursors' | 'db' | 'keys' | 'log' | 'now'>
type Asked = Parameters<typeof pageOf>[1]['query'] & { type: 'page' | 'total' }

/** Comments on payloads that the caller may see, newest first. */
export const listComments =
  (house: Parts): Handler<'listComments'> =>
  (context, { query }) => {
    const { authors, groups, payload_types, show } = query
    const lanes = context.caller.access.lanes(context.action)
    const filter = { lanes, show, authors, groups, payload_types, ...timeRange(query) }
    return listed(house, context, { name: 'comments', filter, query })
  }

/** The comments on one payload. Problem: not_found, where the caller may not read comments on it. */
export const listCommentsOfPayload =
  (house: Parts): Handler<'listCommentsOfPayload'> =>
  async (context, { params: { payload_reference }, query }) => {
    const { payload_id } = await context.readAside((q) => commentedInReach(q, context, payload_reference))
    const filter = { lanes: context.caller.access.lanes(context.action), show: query.show, payload_id }
    return listed(house, context, { name: `comments of ${payload_reference}`, filter, query })
  }

/** Everything that a comment has said. Problem: not_found. */
export const listCommentVersions =
  (house: Parts): Handler<'listCommentVersions'> =>
  async (context, { params: { payload_reference, comment_id }, query }) => {
    const { client, client_id } = context.caller
    const { wrapped_key } = await context.readAside((q) =>
      commentInReach(q, context, payload_reference, comment_id),
    )
    if (query.type === 'total') return { total: await context.readAside((q) => countVersions(q, comment_id)) }
    const page = await pageOf(
      house.cursors,
      { name: `versions of ${comment_id}`, client_id, query },
      (from: readonly [number] | undefined, limit) =>
        context.readAside((q) => findVersions(q, comment_id, from?.[0], limit)),
      ({ comment_version }) => [comment_version] as const,
    )
    const data = await Promise.all(
      page.data.map(async ({ sealed_body, start_time, duration, ...version }) => ({
        client,
        ...version,
        comment_duration: durationOf(start_time, duration),
        comment_body: await readBody(
          house,
          { client, client_id, payload_reference, comment_id, comment_version: version.comment_version },
          wrapped_key,
          sealed_body,
        ),
      })),
    )
    return { ...page, data }
  }

async function listed(
  house: Parts,
  context: PortalContext,
  { name, filter, query }: { name: string; filter: CommentFilter; query: Asked },
) {
  const { client_id } = context.caller
  if (query.type === 'total') return context.readAside((q) => countComments(q, filter))
  const page: Page<SealedComment> = await pageOf(
    house.cursors,
    { name, client_id, query },
    (from: CommentKey | undefined, limit) => context.readAside((q) => findComments(q, filter, from, limit)),
    ({ raised_at, comment_id }): CommentKey => [raised_at, comment_id],
  )
  return { ...page, data: await openAll(house, context, page.data) }
}

/** The comments with what they say. */
export const openAll = (
  house: Parts,
  { caller: { client, client_id } }: PortalContext,
  comments: readonly SealedComment[],
): Promise<PayloadComment[]> =>
  Promise.all(
    comments.map(async ({ wrapped_key, sealed_body, ...comment }) => ({
      client,
      ...comment,
      is_closed: comment.closed_at !== null,
      comment_body: await readBody(house, { client, client_id, ...comment }, wrapped_key, sealed_body),
    })),
  )
