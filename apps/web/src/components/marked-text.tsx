import { Fragment, type ReactNode } from 'react'
import { useCurrentSearch } from './current-search.ts'

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
