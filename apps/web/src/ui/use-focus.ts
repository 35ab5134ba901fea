import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

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

/** Milliseconds after closing in which a page change may still remove the opener. */
const SETTLING_MS = 5_000

/**
 * Restores the focus on unmount of a dialog or drawer; the library does so only for those that stay mounted. If the
 * opener is gone, the focus stays near it.
 */
export function useReturnFocus(): void {
  // Before the dialog's focus trap activates.
  useLayoutEffect(() => {
    const way = wayTo(document.activeElement)
    return () => {
      // After the dialog's focus trap is released.
      setTimeout(() => keepFocus(way))
    }
  }, [])
}

/** The focused element and its ancestors in the page's content, inside out; empty without focus. */
function wayTo(launcher: Element | null): HTMLElement[] {
  const way: HTMLElement[] = []
  for (let at = launcher; at instanceof HTMLElement && !at.matches('main, body'); at = at.parentElement)
    way.push(at)
  return way
}

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Focuses the first available element, and again if it disappears shortly after; never steals the focus. */
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
  // Of a page that has changed only the title is sure. When its dialog is gone as well, that dialog's opener comes first.
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

/** Tab stop of a grid. */
const STOP = '[role="row"][tabindex="0"]'

const FIELD =
  ':is(input:not([type="radio"], [type="checkbox"], [type="hidden"], [type="file"]), textarea, select):not([disabled], [readonly])'

/**
 * Ref of a dialog's content: the dialog opens with the focus in its first field, unless the content names another
 * element; `data-otherwise-focused` is for dialogs without fields.
 */
export function useFirstField(): RefObject<HTMLDivElement | null> {
  const content = useRef<HTMLDivElement>(null)
  // Before the dialog's focus trap activates.
  useLayoutEffect(() => {
    const element = content.current
    if (element?.querySelector('[data-autofocus]') === null)
      (element.querySelector(FIELD) ?? element.querySelector('[data-otherwise-focused]'))?.setAttribute(
        'data-autofocus',
        'true',
      )
    return element ? keepFocusIn(element) : undefined
  }, [])
  return content
}

/**
 * Returns a lost focus in an open dialog: to the button that was disabled while it worked, or near one that is gone.
 * @returns function that ends this
 */
function keepFocusIn(content: HTMLElement): () => void {
  let way: HTMLElement[] = []
  const note = ({ target }: FocusEvent) => (way = wayTo(target as Element))
  const observer = new MutationObserver(() => {
    const [left] = way
    for (const element of left?.isConnected ? [left] : way)
      if (isLost()) element.focus({ preventScroll: true })
  })
  content.addEventListener('focusin', note)
  observer.observe(content, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  return () => {
    content.removeEventListener('focusin', note)
    observer.disconnect()
  }
}

/** Open dialogs and drawers, topmost last. */
const open: symbol[] = []
/** The topmost dialog when the current key press or click began; the press closes no other. */
let topmost: symbol | undefined
for (const type of ['keydown', 'click']) addEventListener(type, () => (topmost = open.at(-1)), true)

/**
 * Common behaviour of mounted dialogs and drawers: returns the focus on unmount, and closes only the topmost on
 * Escape, which the library sends to all.
 * @returns close handler for the library
 */
export function useDialog(onClose: () => void): () => void {
  useReturnFocus()
  const [self] = useState(() => Symbol('dialog'))
  useLayoutEffect(() => {
    open.push(self)
    return () => void open.splice(open.indexOf(self), 1)
  }, [self])
  return () => {
    if (topmost === self) onClose()
  }
}
