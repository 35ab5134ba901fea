import { useLayoutEffect } from 'react'

/** How long after closing a change of the page may still take the opener away, in milliseconds. */
const SETTLING_MS = 5_000

/**
 * Gives the focus back to where it was once the component is gone. For dialogs and drawers that are unmounted instead
 * of closed: the library returns the focus only of those that stay. When the opener goes too, because what it belonged
 * to was decided or deleted, the focus stays near it.
 */
export function useReturnFocus(): void {
  // Before the dialog's own trap takes the focus.
  useLayoutEffect(() => {
    const way = wayTo(document.activeElement)
    return () => {
      // After the dialog has let go of its own trap.
      if (way.length > 0) setTimeout(() => keepFocus(way))
    }
  }, [])
}

/** The element and what it is in, from the inside out; nothing when nothing holds the focus. */
function wayTo(launcher: Element | null): HTMLElement[] {
  const way: HTMLElement[] = []
  for (let at = launcher; at instanceof HTMLElement && at !== document.body; at = at.parentElement)
    way.push(at)
  return way
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Focuses the first of `way` that still can be, now and when it goes within moments; never takes a focus away. */
function keepFocus(way: readonly HTMLElement[]): void {
  const mend = () => {
    if (!isLost()) return
    for (const element of way) {
      const target =
        element.getAttribute('role') === 'grid'
          ? (element.querySelector<HTMLElement>(STOP) ?? element)
          : element
      if (target.isConnected) target.focus({ preventScroll: true })
      if (!isLost()) return
    }
  }
  mend()
  // Of the dialog that it stood in nothing is left either, and that one's opener comes first where it is there.
  if (isLost()) document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
  if (!way.some((element) => element.isConnected)) return
  const observer = new MutationObserver(() => requestAnimationFrame(mend))
  const stop = () => {
    observer.disconnect()
    for (const event of ['pointerdown', 'keydown']) document.removeEventListener(event, stop, true)
  }
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, stop, true)
  setTimeout(stop, SETTLING_MS)
}

/** The one row of a grid at which Tab stops. */
const STOP = '[role="row"][tabindex="0"]'
