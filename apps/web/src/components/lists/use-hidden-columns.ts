import { type RefObject, useEffect, useState } from 'react'

/** How many columns are out of sight at each side, wholly or so far that their content is cut. */
export interface HiddenColumns {
  left: number
  right: number
}
const NONE: HiddenColumns = { left: 0, right: 0 }
/** Pixels of a column that are space around its content. */
const SPACE = 10

/**
 * Columns of a list that are scrolled out of sight.
 *
 * @param view what the list stands in
 * @param layout changes whenever the columns may have
 */
export function useHiddenColumns(view: RefObject<HTMLElement | null>, layout: unknown): HiddenColumns {
  const [hidden, setHidden] = useState(NONE)
  useEffect(() => {
    const count = () => {
      const found = hiddenIn(view.current)
      setHidden((before) => (before.left === found.left && before.right === found.right ? before : found))
    }
    count()
    const around = view.current
    // It does not bubble, and the list that scrolls is another one after each filter.
    around?.addEventListener('scroll', count, true)
    return () => around?.removeEventListener('scroll', count, true)
  }, [view, layout])
  return hidden
}

function hiddenIn(view: HTMLElement | null): HiddenColumns {
  const port = view?.querySelector('[data-list-scroll]')?.getBoundingClientRect()
  if (port === undefined) return NONE
  const columns = [...(view?.querySelectorAll('[data-column]') ?? [])].map((each) =>
    each.getBoundingClientRect(),
  )
  return {
    left: columns.filter(({ left, width }) => width > 1 && left + SPACE < port.left).length,
    right: columns.filter(({ right, width }) => width > 1 && right - SPACE > port.right).length,
  }
}

/** Scrolls a list by what it shows, towards the side where columns are hidden. */
export function showHidden(view: HTMLElement | null, side: keyof HiddenColumns): void {
  const port = view?.querySelector('[data-list-scroll]')
  port?.scrollBy({ left: port.clientWidth * (side === 'left' ? -0.8 : 0.8), behavior: 'auto' })
}
