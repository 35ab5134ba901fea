import { useLayoutEffect } from 'react'
import { MODAL, useSingleKeysEnabled } from './use-single-keys.ts'

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
