import { useEffect } from 'react'
import { MODAL, useSingleKeysEnabled } from './use-single-keys.ts'

/** Where the space bar already means something. */
const PRESSABLE =
  'button, a[href], input:not([type="range"]), select, textarea, summary, [role="tab"], [role="dialog"]'

/**
 * What the space bar does on a page whose recording it plays: without `press` nothing, because a page that scrolls away under a key that
 * plays elsewhere is a surprise.
 */
export function useSpaceBar(press: (() => void) | undefined): void {
  const [enabled] = useSingleKeysEnabled()
  useEffect(() => {
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
