import { type RefObject, useEffect, useRef } from 'react'

const CHIPS = 'li > button'

/**
 * Chips go when they are pressed: the focus goes on to the next one, from the last one to the one before, and when none is left to the
 * search.
 *
 * @param bar what the chips and the search stand in
 * @returns to be called with the button of a chip that is about to go, or with none for all of them
 */
export function useNextChip(bar: RefObject<HTMLElement | null>): (button?: Element) => void {
  const left = useRef<{ at: number; of: number }>(undefined)
  useEffect(() => {
    const chips = bar.current?.querySelectorAll<HTMLElement>(CHIPS) ?? []
    if (left.current === undefined || chips.length >= left.current.of) return
    const next = chips[Math.min(left.current.at, chips.length - 1)]
    left.current = undefined
    const other = bar.current?.querySelector<HTMLElement>('[data-list-search], [data-list-filter]')
    ;(next ?? other)?.focus()
  })
  return (button) => {
    const chips = [...(bar.current?.querySelectorAll(CHIPS) ?? [])]
    left.current = { at: button === undefined ? 0 : chips.indexOf(button), of: chips.length }
  }
}
