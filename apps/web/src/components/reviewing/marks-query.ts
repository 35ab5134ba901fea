import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { reviewApi } from '../../api/review-api.ts'

/** How often marks on screen are looked at again, in milliseconds: two people at one item see each other's within five seconds. */
const WATCH_MS = 3_000

/** What reviewers made of a payload, and who has heard it. */
export const marksQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: keyOf('listMarks', payload_reference),
    queryFn: ({ signal }) => reviewApi.listMarks({ params: { payload_reference } }, { signal }),
    refetchInterval: WATCH_MS,
    meta: { isWatch: true, silent: true },
  })

/** Reasons that marks may have. */
export const reviewSettingsQuery = queryOptions({
  queryKey: keyOf('readReviewSettings'),
  queryFn: ({ signal }) => reviewApi.readReviewSettings({}, { signal }),
})
