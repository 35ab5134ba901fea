import type { Window } from './words-window.ts'

/** How much one statement may look at. */
export interface Effort {
  /** Most keys that it yields. */
  keys: number
  /** Most index entries that one part of the scope scans in search of them. */
  scanned: number
  /** Of a list by words: the months that it looks at. */
  window?: Window | undefined
}
