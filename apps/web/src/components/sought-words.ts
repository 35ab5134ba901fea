import { useSyncExternalStore } from 'react'

/** Where a text has what was searched for last: parts of it, in order. */
export type FindMarks = (text: string) => readonly { start: number; end: number }[]

/** A search for words: what was typed, which one since the page was loaded, and where texts have it. */
export interface SoughtNow {
  words: string
  nth: number
  find: FindMarks | undefined
}

let sought: SoughtNow | undefined
const listeners = new Set<() => void>()

/** What is searched for is kept here until the page is left, and nowhere else: neither in an address nor in the browser's storage. */
export function keepSought(words: string, find: FindMarks | undefined): void {
  sought = { words, nth: (sought?.nth ?? 0) + 1, find }
  for (const tell of listeners) tell()
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export const useSought = (): SoughtNow | undefined => useSyncExternalStore(subscribe, () => sought)
