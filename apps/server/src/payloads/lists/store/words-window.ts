import { startOfPeriod } from '../../word-store.ts'
import type { Direction } from './filter.ts'
import type { ListKey } from './place.ts'
import type { ListWords } from './words.ts'

/** Most tokens of a term per statement. */
const MAX_TOKENS = 4000

/** The months of one step. */
export interface Window {
  /** The oldest first. */
  periods: readonly number[]
  /** The far end of the window, in epoch seconds. */
  end: number
  /** Where the next months begin; undefined: none. */
  next: ListKey | undefined
}

/**
 * The months behind a place: all of them; for prefixes one at first, doubled with each further round.
 * Undefined: none.
 */
export function getWindow(
  { periods, terms }: ListWords,
  direction: Direction,
  after: ListKey,
  round: number,
): Window | undefined {
  const isDown = direction.way === 'desc'
  const left = periods.filter((period) =>
    isDown
      ? (startOfPeriod(period) < after[0] || (startOfPeriod(period) === after[0] && after[1] > 0)) &&
        startOfPeriod(period + 1) > direction.end
      : startOfPeriod(period + 1) > after[0] && startOfPeriod(period) < direction.end,
  )
  if (left.length === 0) return undefined
  const most = Math.max(...terms.map((term) => (term.is_prefix ? term.words.length : 0)))
  const months = most === 0 ? left.length : Math.max(1, Math.min(2 ** round, Math.floor(MAX_TOKENS / most)))
  const some = isDown ? left.slice(-months) : left.slice(0, months)
  if (some.length === left.length) return { periods: some, end: direction.end, next: undefined }
  const end = startOfPeriod(isDown ? (some[0] ?? 0) : (some.at(-1) ?? 0) + 1)
  return { periods: some, end, next: [end, 0] }
}
