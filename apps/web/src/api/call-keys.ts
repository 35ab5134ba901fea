import type { Client } from '@custodia/client'

export type CallName = keyof Client & string

/** Query key: name of the call, then its input. */
export type CallKey = readonly [CallName, ...unknown[]]

/** Returns the query key of a call. All keys come from here, so that invalidation names calls, not screens (`after-change.ts`). */
export const keyOf = (call: CallName, ...asked: readonly unknown[]): CallKey => [call, ...asked]
