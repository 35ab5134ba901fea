import { type RefCallback, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { requestPlayback } from './pending-playback.ts'
import { Playback, type PlaybackView, storedSpeed } from './playback.ts'
import { storedVolume } from './volume.ts'

/** Storage key of the skip-silence setting. */
export const SKIP_SILENCE_KEY = 'custodia.skip_silence'

/** The media element, and its playback. */
interface PlayingMedia {
  media: HTMLMediaElement
  playback: Playback
}

/** Milliseconds within which a recording's page takes over the sound of its preview. */
const TAKEN_WITHIN_MS = 10_000

/** Sound that goes on while the page of its recording opens. */
let kept:
  | { payload_reference: string; playing: PlayingMedia; timer: ReturnType<typeof setTimeout> }
  | undefined

function keepSound(payload_reference: string, playing: PlayingMedia): void {
  closeKept()
  // An element without a document stops.
  document.body.append(playing.media)
  kept = { payload_reference, playing, timer: setTimeout(closeKept, TAKEN_WITHIN_MS) }
}

function closeKept(): void {
  if (kept === undefined) return
  clearTimeout(kept.timer)
  close(kept.playing)
  kept = undefined
}

/** The kept sound of this recording; that of another one ends. */
function takeSound(payload_reference: string): PlayingMedia | undefined {
  if (kept?.payload_reference !== payload_reference) {
    closeKept()
    return undefined
  }
  clearTimeout(kept.timer)
  const { playing } = kept
  kept = undefined
  return playing
}

function close({ media, playback }: PlayingMedia): void {
  playback.close()
  media.remove()
}

const isOn = ({ playback }: PlayingMedia): boolean => ['playing', 'asking'].includes(playback.view().phase)

function startPlayback(media: HTMLMediaElement, duration: number, ask: () => Promise<string>): PlayingMedia {
  const playback = new Playback(media, {
    duration,
    speed: storedSpeed(localStorage),
    volume: storedVolume(localStorage),
    skipsSilence: localStorage.getItem(SKIP_SILENCE_KEY) === 'true',
    ask,
  })
  return { media, playback }
}

/**
 * A playback that lives as long as the element of the returned ref; undefined before. The ref takes a video, or a host
 * for sound.
 * @param duration expected seconds
 * @param ask returns a data URL
 * @param isOpening whether the page of this recording opens: its sound goes on there
 */
export function usePlayback(
  payload_reference: string,
  duration: number,
  ask: () => Promise<string>,
  isOpening: () => boolean,
): [RefCallback<HTMLElement>, PlayingMedia | undefined] {
  const [playing, setPlaying] = useState<PlayingMedia>()
  const expected = useRef(duration)
  const opening = useRef(isOpening)
  useEffect(() => {
    opening.current = isOpening
  })
  const attach = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return
      const isFilm = element instanceof HTMLVideoElement
      const made = isFilm
        ? startPlayback(element, expected.current, ask)
        : (takeSound(payload_reference) ?? startPlayback(newSound(), expected.current, ask))
      if (!isFilm) element.append(made.media)
      setPlaying(made)
      return () => {
        const isStillOpen = isOn(made) && opening.current()
        if (isStillOpen && !isFilm) keepSound(payload_reference, made)
        else {
          // A video starts again where it was.
          if (isStillOpen) requestPlayback(payload_reference, made.playback.view().position)
          made.playback.close()
          // The host may be shown again, with a new element.
          if (!isFilm) made.media.remove()
        }
        setPlaying(undefined)
      }
    },
    [ask, payload_reference],
  )
  // Known later, when the recording is prepared; does not disturb playback.
  useEffect(() => {
    expected.current = duration
    playing?.playback.expectDuration(duration)
  }, [playing, duration])
  return [attach, playing]
}

function newSound(): HTMLMediaElement {
  const sound = document.createElement('audio')
  sound.preload = 'none'
  return sound
}

export const usePlaybackView = (playback: Playback): PlaybackView =>
  useSyncExternalStore(playback.subscribe, playback.view)
