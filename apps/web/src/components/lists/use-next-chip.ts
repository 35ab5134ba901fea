import { type RefObject, useEffect, useRef } from 'react'

const CHIPS = 'li > button'

/**
 * Moves the focus when a chip is removed: to the next chip, the previous one, or the search.
 * @param bar container of chips and search
 * @returns call with the removed chip's button, or with none for all
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
