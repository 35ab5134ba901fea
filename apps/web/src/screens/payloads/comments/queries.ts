import type { CommentDuration, PayloadComment } from '@custodia/contract'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { getKey, repeatedRead } from '../../../api/call-keys.ts'
import { commentsApi } from '../../../api/payload-api.ts'
import { formatDuration } from '../../../ui/time-format.ts'

/** Comments per page. */
const PAGE = 50
/** Versions per page. */
const VERSIONS = 20
/** Poll interval of comments, in milliseconds: other reviewers may comment on the same recording. */
const WATCH_MS = 30_000

type CommentScope = 'open' | 'all'

/** Comments of a payload, newest first. */
export const commentsQuery = (payload_reference: string, show: CommentScope) =>
  infiniteQueryOptions({
    queryKey: getKey('listCommentsOfPayload', payload_reference, show),
    queryFn: ({ pageParam, ...context }) =>
      commentsApi.listCommentsOfPayload(
        { params: { payload_reference }, query: { show, limit: PAGE, last_key: pageParam } },
        repeatedRead(context),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    refetchInterval: WATCH_MS,
    meta: { isWatch: true },
  })

/** Versions of a comment, newest first. */
export const versionsQuery = ({
  payload_reference,
  comment_id,
}: Pick<PayloadComment, 'payload_reference' | 'comment_id'>) =>
  infiniteQueryOptions({
    queryKey: getKey('listCommentVersions', payload_reference, comment_id),
    queryFn: ({ pageParam, signal }) =>
      commentsApi.listCommentVersions(
        { params: { payload_reference, comment_id }, query: { limit: VERSIONS, last_key: pageParam } },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    staleTime: 0,
  })

/** A moment or a part of a recording: `0:12`, `0:12–0:30`. */
export function partText({ start_time, duration }: CommentDuration): string {
  const start = formatDuration(Math.floor(start_time))
  return duration === 0 ? start : `${start}–${formatDuration(Math.floor(start_time + duration))}`
}
