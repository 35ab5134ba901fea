import { useSyncExternalStore } from 'react'

/** Where a text has what was searched for last: parts of it, in order. */
export type FindMarks = (text: string) => readonly { start: number; end: number }[]

/** A search for words: what was typed, which one since the page was loaded, and where texts have it. */
export interface CurrentSearch {
  words: string
  nth: number
  find: FindMarks | undefined
}

let search: CurrentSearch | undefined
const listeners = new Set<() => void>()

/** What is searched for is kept here until the page is left, and nowhere else: neither in an address nor in the browser's storage. */
export function setCurrentSearch(words: string, find: FindMarks | undefined): void {
  search = { words, nth: (search?.nth ?? 0) + 1, find }
  for (const notify of listeners) notify()
}

const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

export const useCurrentSearch = (): CurrentSearch | undefined => useSyncExternalStore(subscribe, () => search)
