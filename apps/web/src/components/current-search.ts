import { useSyncExternalStore } from 'react'

/** Ranges of a text that match the last search, in order. */
export type FindMarks = (text: string) => readonly { start: number; end: number }[]

/** A content search: its text, number since page load, and matches. */
export interface CurrentSearch {
  words: string
  nth: number
  find: FindMarks | undefined
}

let search: CurrentSearch | undefined
const listeners = new Set<() => void>()

/** The current search lives in memory until the page unloads, never in an address or the browser's storage. */
export function setCurrentSearch(words: string, find: FindMarks | undefined): void {
  search = { words, nth: (search?.nth ?? 0) + 1, find }
  for (const notify of listeners) notify()
}

const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

export const useCurrentSearch = (): CurrentSearch | undefined => useSyncExternalStore(subscribe, () => search)
