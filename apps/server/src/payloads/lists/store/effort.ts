import type { Window } from './words-window.ts'

/** Limits of one statement. */
export interface Effort {
  /** Most keys that it yields. */
  keys: number
  /** Most index entries that one part of the scope scans in search of them. */
  scanned: number
  /** The months of a list by words. */
  window?: Window | undefined
}
