import { useEffect } from 'react'
import { useSingleKeys, useSingleKeysEnabled } from '../../ui/use-single-keys.ts'
import type { Playback } from './playback.ts'
import { nextSpeed } from './speeds.ts'

/** Where the space bar already means something. */
const PRESSABLE = 'button, a[href], input, select, textarea, summary, [role="tab"], [role="dialog"]'

/** The keys of the player: space, arrows, J and L, [ and ], s. */
export function usePlayerKeys(
  playback: Playback,
  commands: { onSpeed: (speed: number) => void; onSkipSilence: () => void; isDisabled: boolean },
): void {
  const { isDisabled, onSpeed, onSkipSilence } = commands
  useSingleKeys(
    isDisabled
      ? {}
      : {
          ArrowLeft: () => playback.skip(-5),
          ArrowRight: () => playback.skip(5),
          j: () => playback.skip(-10),
          l: () => playback.skip(10),
          '[': () => onSpeed(nextSpeed(playback.view().speed, -1)),
          ']': () => onSpeed(nextSpeed(playback.view().speed, 1)),
          s: onSkipSilence,
        },
  )
  const [enabled] = useSingleKeysEnabled()
  useEffect(() => {
    if (isDisabled || !enabled) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey)
        return
      if (event.target instanceof Element && event.target.closest(PRESSABLE)) return
      if (document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      playback.toggle()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [playback, enabled, isDisabled])
}
