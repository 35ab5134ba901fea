import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../../api/call-keys.ts'
import { reviewApi } from '../../../api/review-api.ts'

/** Poll interval in milliseconds: two reviewers see each other's marks within five seconds. */
const WATCH_MS = 3_000

/** Marks of a payload, and its listeners. */
export const marksQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: keyOf('listMarks', payload_reference),
    queryFn: ({ signal }) => reviewApi.listMarks({ params: { payload_reference } }, { signal }),
    refetchInterval: WATCH_MS,
    meta: { isWatch: true, silent: true },
  })

/** Reasons of marks. */
export const reviewSettingsQuery = queryOptions({
  queryKey: keyOf('readReviewSettings'),
  queryFn: ({ signal }) => reviewApi.readReviewSettings({}, { signal }),
})
