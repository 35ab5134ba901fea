import type { Client } from '@custodia/client'

/** Name of a call, as its row of the endpoint table has it. */
export type CallName = keyof Client & string

/** What is kept stands under the call that told it, then what was asked. */
export type CallKey = readonly [CallName, ...unknown[]]

/**
 * The key under which an answer is kept. Every key is written here, so that whoever changes something needs to know calls only,
 * never who shows what (`after-change.ts`).
 */
export const keyOf = (call: CallName, ...asked: readonly unknown[]): CallKey => [call, ...asked]
