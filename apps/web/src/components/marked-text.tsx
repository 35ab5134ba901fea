import { Fragment, type ReactNode } from 'react'
import { useCurrentSearch } from './current-search.ts'

/** A text as it was written, with what was searched for last marked in it. Text nodes, and nothing else. */
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
