import { type RefObject, useEffect, useState } from 'react'

/** Number of columns outside the view at each side. */
export interface HiddenColumns {
  left: number
  right: number
}
const NONE: HiddenColumns = { left: 0, right: 0 }
/** Padding of a column in pixels. */
const SPACE = 10

/**
 * Columns that are scrolled out of view.
 * @param view the scroll container
 * @param layout changes with the columns
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
    // Scroll events do not bubble, and each filter remounts the scrolling element.
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

/** Scrolls a list by its width towards hidden columns. */
export function showHidden(view: HTMLElement | null, side: keyof HiddenColumns): void {
  const port = view?.querySelector('[data-list-scroll]')
  port?.scrollBy({ left: port.clientWidth * (side === 'left' ? -0.8 : 0.8), behavior: 'auto' })
}
