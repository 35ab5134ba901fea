import { useLocalStorage } from '@mantine/hooks'
import { useEffect, useRef } from 'react'

/** Where a letter means text or a value, it must not trigger an action (WCAG 2.1.4). To a check box and the slider of a player it means nothing. */
const TYPING =
  'input:not([type="range"], [type="checkbox"]), textarea, select, [contenteditable="true"], [role="slider"], [role="radiogroup"], [role="dialog"]'

/** What the page waits behind. A popover that is closing still stands, too, but keys go past it. */
export const MODAL = '[role="dialog"][aria-modal="true"]'

/** The switch for single-key shortcuts, remembered in this browser; on by default. */
export const useSingleKeysEnabled = () =>
  useLocalStorage({ key: 'custodia.single_keys', defaultValue: true, getInitialValueInEffect: false })

/**
 * Runs `actions[event.key]` for single keys such as `j` or `?`. They stay silent in anything editable, in open dialogs,
 * with Ctrl, Alt or Meta, and when the reader switched them off.
 */
export function useSingleKeys(actions: Readonly<Record<string, () => void>>): void {
  const [enabled] = useSingleKeysEnabled()
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (!enabled) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
      if (event.target instanceof Element && event.target.closest(TYPING)) return
      if (document.querySelector(MODAL)) return
      const action = latest.current[event.key]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled])
}
