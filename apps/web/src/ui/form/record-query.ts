import { queryOptions } from '@tanstack/react-query'
import { type CallName, keyOf } from '../../api/call-keys.ts'

/** A record for editing, read once: it must not change during the edit. */
export const recordQuery =
  <T>(call: CallName, read: (key: string, options: { signal: AbortSignal }) => Promise<T>) =>
  (key: string) =>
    queryOptions({
      queryKey: keyOf(call, key),
      queryFn: ({ signal }) => read(key, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })
