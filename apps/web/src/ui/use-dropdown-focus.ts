import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Focuses the dropdown's target in the commit that closes it, unless the focus is elsewhere. The library uses a timer,
 * which can undo a fast Tab.
 */
export function useDropdownFocus(isOpen: boolean): {
  target: RefObject<HTMLButtonElement | null>
  dropdown: RefObject<HTMLDivElement | null>
} {
  const target = useRef<HTMLButtonElement>(null)
  const dropdown = useRef<HTMLDivElement>(null)
  const wasOpen = useRef(isOpen)
  useLayoutEffect(() => {
    const isClosing = wasOpen.current && !isOpen
    wasOpen.current = isOpen
    if (!isClosing) return
    const focused = document.activeElement ?? document.body
    // A closing dropdown keeps the focus until its transition ends; a removed one leaves it on the body.
    if (focused === document.body || dropdown.current?.contains(focused))
      target.current?.focus({ preventScroll: true })
  }, [isOpen])
  return { target, dropdown }
}
