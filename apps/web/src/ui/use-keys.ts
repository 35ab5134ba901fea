import { useLocalStorage } from '@mantine/hooks'
import { useLayoutEffect, useRef } from 'react'

/** Inputs where letters are text: no shortcut may trigger there (WCAG 2.1.4). Checkboxes and player sliders ignore letters. */
const TYPING =
  'input:not([type="range"], [type="checkbox"]), textarea, select, [contenteditable="true"], [role="slider"], [role="radiogroup"], [role="dialog"]:not([data-page-keys])'

/** Modal content that blocks shortcuts. A closing popover does not; `data-page-keys` keeps those of the page. */
export const MODAL = '[role="dialog"][aria-modal="true"]:not([data-page-keys])'

/** Setting for single-key shortcuts, stored in this browser; on by default. */
export const useSingleKeysEnabled = () =>
  useLocalStorage({ key: 'custodia.single_keys', defaultValue: true, getInitialValueInEffect: false })

/** Keys that mark a recording and go on to the next. */
const MARKING = 'efr'

/**
 * Runs `actions[event.key]` for single keys such as `j` or `?`, and those such as `h1 ArrowDown` while the title or
 * nothing has the focus. Inactive in editable elements, in dialogs, with Ctrl, Alt or Meta, and when turned off.
 */
export function useSingleKeys(actions: Readonly<Record<string, () => void>>): void {
  const [enabled] = useSingleKeysEnabled()
  const latest = useRef(actions)
  // Before the paint: a key pressed on what is visible must count.
  useLayoutEffect(() => {
    latest.current = actions
  })
  useLayoutEffect(() => {
    if (!enabled) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
      if (event.target instanceof Element && event.target.closest(TYPING)) return
      if (document.querySelector(MODAL)) return
      const isAtTitle = event.target === document.body || (event.target as Element).matches('h1')
      const action = latest.current[event.key] ?? (isAtTitle ? latest.current[`h1 ${event.key}`] : undefined)
      if (action === undefined) return
      event.preventDefault()
      // A held key marks one recording.
      if (!event.repeat || !MARKING.includes(event.key)) action()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled])
}

/** Elements that handle the space bar. */
const PRESSABLE =
  'button, a[href], input:not([type="range"]), select, textarea, summary, [role="tab"], [role="dialog"]'

/** Space bar on a recording's page; without `press` it does nothing, instead of scrolling the page. */
export function useSpaceBar(press: (() => void) | undefined): void {
  const [enabled] = useSingleKeysEnabled()
  // Before the paint: a key pressed on what is visible must count.
  useLayoutEffect(() => {
    if (!enabled) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey)
        return
      if (event.target instanceof Element && event.target.closest(PRESSABLE)) return
      if (document.querySelector(MODAL)) return
      event.preventDefault()
      press?.()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [press, enabled])
}
