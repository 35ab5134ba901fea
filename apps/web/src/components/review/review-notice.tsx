import { type ReactNode, useEffect, useRef } from 'react'
import { ImpactView } from './impact.tsx'
import { movesRights, type Review } from './use-review.ts'

/** Pixels that the head of a drawer covers. */
const HEAD = 76

/** Impact preview between form and save. Takes the focus when it appears. */
export function ReviewNotice(props: { title: string; review: Review; children?: ReactNode }) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    notice.current?.focus()
    notice.current?.scrollIntoView({ block: 'start' })
  }, [])
  return (
    <section
      ref={notice}
      tabIndex={-1}
      aria-label={props.title}
      style={{ display: 'grid', gap: 12, scrollMarginTop: HEAD }}
    >
      {props.children}
      {movesRights(props.review) && <ImpactView impact={props.review.impact} />}
    </section>
  )
}
