import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** How often the counts beside the bell are read again, in milliseconds. */
const EVERY_MS = 60_000

/** Triggered alerts that the reader has not dismissed, by scope and severity. */
export const alertSummaryQuery = queryOptions({
  queryKey: keyOf('readAlertSummary'),
  queryFn: ({ signal }) => api.readAlertSummary({ query: {} }, { signal }),
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  meta: { isWatch: true },
})
