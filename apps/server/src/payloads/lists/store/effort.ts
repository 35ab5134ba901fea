import type { Window } from './words-window.ts'

/** Limits of one statement. */
export interface Effort {
  /** Most keys that it returns. */
  keys: number
  /** Most index entries per part of the scope. */
  scanned: number
  /** The entries of all groups had too few of the reader's: read group by group. */
  isByGroup?: boolean
  /** The months of a list by words. */
  window?: Window | undefined
}
