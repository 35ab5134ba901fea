import type { PayloadComment } from '@custodia/contract'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { pageOf } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { commentsApi } from '../../api/comments-api.ts'

/** Comments per page of a recording. */
const PAGE = 50
/** Versions shown of a comment at a time. */
const VERSIONS = 20
/** How often comments on screen are looked at again, in milliseconds: a colleague may be at the same recording. */
const WATCH_MS = 30_000

export type Shown = 'open' | 'all'

/** The comments on a payload, newest first. */
export const commentsQuery = (payload_reference: string, show: Shown) =>
  infiniteQueryOptions({
    queryKey: keyOf('listCommentsOfPayload', payload_reference, show),
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        commentsApi.listCommentsOfPayload(
          { params: { payload_reference }, query: { show, limit: PAGE, last_key: pageParam } },
          { signal },
        ),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    refetchInterval: WATCH_MS,
    meta: { isWatch: true },
  })

/** Everything that a comment has said, newest first. */
export const versionsQuery = ({
  payload_reference,
  comment_id,
}: Pick<PayloadComment, 'payload_reference' | 'comment_id'>) =>
  infiniteQueryOptions({
    queryKey: keyOf('listCommentVersions', payload_reference, comment_id),
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        commentsApi.listCommentVersions(
          { params: { payload_reference, comment_id }, query: { limit: VERSIONS, last_key: pageParam } },
          { signal },
        ),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    staleTime: 0,
  })
