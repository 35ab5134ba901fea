import { type RefCallback, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPlayback, type Playback, type PlaybackView } from './playback.ts'
import { storedSpeed } from './speeds.ts'
import { storedVolume } from './volume.ts'

/** Storage key of the skip-silence setting. */
export const SKIP_SILENCE_KEY = 'custodia.skip_silence'

/** The media element, and its playback. */
export interface Playing {
  media: HTMLMediaElement
  playback: Playback
}

/**
 * A playback that lives as long as the element of the returned ref; undefined before.
 * @param duration expected seconds
 * @param ask returns a data URL
 */
export function usePlayback(
  duration: number,
  ask: () => Promise<string>,
): [RefCallback<HTMLMediaElement>, Playing | undefined] {
  const [playing, setPlaying] = useState<Playing>()
  const expected = useRef(duration)
  const attach = useCallback(
    (media: HTMLMediaElement | null) => {
      if (media === null) return
      const playback = createPlayback(media, {
        duration: expected.current,
        speed: storedSpeed(localStorage),
        volume: storedVolume(localStorage),
        skipsSilence: localStorage.getItem(SKIP_SILENCE_KEY) === 'true',
        ask,
      })
      setPlaying({ media, playback })
      return () => {
        playback.close()
        setPlaying(undefined)
      }
    },
    [ask],
  )
  // Known later, when the recording is prepared; does not disturb playback.
  useEffect(() => {
    expected.current = duration
    playing?.playback.expectDuration(duration)
  }, [playing, duration])
  return [attach, playing]
}

export const usePlaybackView = (playback: Playback): PlaybackView =>
  useSyncExternalStore(playback.subscribe, playback.view)
