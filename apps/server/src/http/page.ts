import type { Page } from '@custodia/contract'
import type { Cursors } from './cursor.ts'

/** What a list by key was asked for. */
export interface PageRequest {
  /** Names the list; see `Cursors`. */
  list: string
  limit: number
  last_key?: string | undefined
}

/** The key after which the page begins; empty at the start. Problem: invalid_cursor. */
export function keyBefore(cursors: Cursors, { list, last_key }: PageRequest): string {
  return last_key === undefined ? '' : String(cursors.open(list, last_key)[0] ?? '')
}

/** The page out of `rows`, of which one more than `limit` was read where there is one. */
export function pageByKey<T>(
  cursors: Cursors,
  { list, limit }: PageRequest,
  rows: readonly T[],
  keyOf: (row: T) => string,
): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const more = rows.length > limit && last !== undefined
  return { count: data.length, ...(more ? { last_key: cursors.seal(list, [keyOf(last)]) } : {}), data }
}
