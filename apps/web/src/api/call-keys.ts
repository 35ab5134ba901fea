import type { CallOptions, Client } from '@custodia/client'
import type { QueryFunctionContext } from '@tanstack/react-query'

export type CallName = keyof Client & string

/** Query key: name of the call, then its input. */
export type CallKey = readonly [CallName, ...unknown[]]

/** Returns the query key of a call. All keys come from here, so that invalidation names calls, not screens (`after-change.ts`). */
export const keyOf = (call: CallName, ...asked: readonly unknown[]): CallKey => [call, ...asked]

/** Options of a read that the page repeats on its own. After the first answer the server makes no audit entry for it. */
export const repeatedRead = ({
  client,
  queryKey,
  signal,
}: Pick<QueryFunctionContext<CallKey, unknown>, 'client' | 'queryKey' | 'signal'>): CallOptions & {
  signal: AbortSignal
} => ({ signal, is_refresh: client.getQueryState(queryKey)?.data !== undefined })
