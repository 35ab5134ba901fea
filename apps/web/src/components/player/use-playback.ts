import { type RefCallback, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createPlayback, type Playback, type PlaybackView } from './playback.ts'
import { storedSpeed } from './speeds.ts'
import { storedVolume } from './volume.ts'

/** Where the wish to skip silences is remembered. */
export const SKIP_SILENCE_KEY = 'custodia.skip_silence'

/** What plays on screen, an audio or a video element, and the playback over it. */
export interface Playing {
  media: HTMLMediaElement
  playback: Playback
}

/**
 * A playback that lives as long as the element which takes the returned ref; undefined for the moment before.
 *
 * @param duration seconds, as far as known before the sound is fetched
 * @param ask gives an address of the data
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
  // Learnt later, when the recording is prepared: what is playing already goes on.
  useEffect(() => {
    expected.current = duration
    playing?.playback.expectDuration(duration)
  }, [playing, duration])
  return [attach, playing]
}

export const usePlaybackView = (playback: Playback): PlaybackView =>
  useSyncExternalStore(playback.subscribe, playback.view)
