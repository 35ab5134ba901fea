import { useSingleKeys } from '../../../ui/use-single-keys.ts'
import { useSpaceBar } from '../../../ui/use-space-bar.ts'
import type { Playback } from './playback.ts'
import { nextSpeed } from './speeds.ts'

/** Player keys: space, arrows, J and L, 0, [ and ], s, a. Off in previews, where the list uses them. */
export function usePlayerKeys(
  playback: Playback,
  commands: {
    onSpace: () => void
    onSpeed: (speed: number) => void
    onSkipSilence: () => void
    onPlaysOn: () => void
    isDisabled: boolean
    isBrief: boolean
  },
): void {
  const { isDisabled, isBrief, onSpace, onSpeed, onSkipSilence, onPlaysOn } = commands
  useSingleKeys(
    isDisabled || isBrief
      ? {}
      : {
          ArrowLeft: () => playback.skip(-5),
          ArrowRight: () => playback.skip(5),
          j: () => playback.skip(-10),
          l: () => playback.skip(10),
          '[': () => onSpeed(nextSpeed(playback.view().speed, -1)),
          ']': () => onSpeed(nextSpeed(playback.view().speed, 1)),
          s: onSkipSilence,
          a: onPlaysOn,
          '0': () => playback.seek(0),
        },
  )
  useSpaceBar(isDisabled ? undefined : onSpace)
}
