import { queryOptions } from '@tanstack/react-query'
import { type CallName, keyOf } from '../../api/call-keys.ts'

/** A record as it is read for editing: once, so that nothing changes below the person's hands. */
export const recordQuery =
  <T>(call: CallName, read: (key: string, options: { signal: AbortSignal }) => Promise<T>) =>
  (key: string) =>
    queryOptions({
      queryKey: keyOf(call, key),
      queryFn: ({ signal }) => read(key, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })
