import { Fragment, type ReactNode, useSyncExternalStore } from 'react'

/** Ranges of a text that match the last search, in order. */
type FindMarks = (text: string) => readonly { start: number; end: number }[]

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

export const currentSearch = (): CurrentSearch | undefined => search

const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

export const useCurrentSearch = (): CurrentSearch | undefined =>
  useSyncExternalStore(subscribe, currentSearch)

/** A plain text with matches of the last search highlighted, as text nodes only. */
export function MarkedText({ text }: { text: string }): ReactNode {
  const search = useCurrentSearch()
  const marks = search?.find?.(text) ?? []
  if (marks.length === 0) return text
  return (
    <>
      {marks.map(({ start, end }, i) => (
        <Fragment key={start}>
          {text.slice(marks[i - 1]?.end ?? 0, start)}
          <mark>{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(marks.at(-1)?.end ?? 0)}
    </>
  )
}
