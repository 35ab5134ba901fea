import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** Refresh interval of the bell's counts, in milliseconds. */
const EVERY_MS = 60_000

/** Triggered alerts that the user has not dismissed, by scope and severity. */
export const alertSummaryQuery = queryOptions({
  queryKey: keyOf('readAlertSummary'),
  queryFn: ({ signal }) => api.readAlertSummary({ query: {} }, { signal }),
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  meta: { isWatch: true },
})
