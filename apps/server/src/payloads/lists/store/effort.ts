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

/** Reading one group costs as much as scanning so many entries of all groups. */
const ENTRIES_OF_GROUP = 75

/** Whether a part with groups is read group by group: they are few, or a scan of all groups found too few entries. */
export const readsByGroup = (groups: readonly unknown[], scanned: number, isByGroup = false): boolean =>
  isByGroup || groups.length * ENTRIES_OF_GROUP <= scanned
