import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Focuses the target of a dropdown in the commit that closes the dropdown, unless the focus is elsewhere on the page.
 * The library uses a timer, which runs after a fast Tab and takes back the focus that Tab moved.
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
    // A closing dropdown holds the focus until its transition ends; a removed one leaves it to the body.
    if (focused === document.body || dropdown.current?.contains(focused))
      target.current?.focus({ preventScroll: true })
  }, [isOpen])
  return { target, dropdown }
}
