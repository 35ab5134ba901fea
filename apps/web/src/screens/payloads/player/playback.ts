import { type RefCallback, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { storedVolume } from './volume.ts'

/** Speeds on offer (frontend design: 0.5 to 3 ×). */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const

const KEY = 'custodia.playback_speed'

/** The next faster (`step` 1) or slower (`step` −1) speed; stops at the ends. */
export function nextSpeed(speed: number, step: 1 | -1): number {
  const faster = SPEEDS.filter((one) => (step > 0 ? one > speed : one < speed))
  return (step > 0 ? faster[0] : faster.at(-1)) ?? speed
}

/** Last speed chosen in this browser. */
export function storedSpeed(storage: Pick<Storage, 'getItem'>): number {
  const stored = Number(storage.getItem(KEY))
  return SPEEDS.find((speed) => speed === stored) ?? 1
}

export const storeSpeed = (storage: Pick<Storage, 'setItem'>, speed: number): void =>
  storage.setItem(KEY, String(speed))

/** Silences, each from and to in seconds. */
type Silences = readonly (readonly [from: number, to: number])[]

/** Silence kept before speech, in seconds, so that speech is not cut. */
const LEAD_IN = 0.15
/** Minimum skip in seconds: shorter ones sound like stutter. */
const WORTH_IT = 0.5

/** Skip target when `position` is in a silence; undefined otherwise. In seconds. */
export function afterSilence(position: number, silences: Silences): number | undefined {
  const silence = silences.find(([from, to]) => position >= from && position < to)
  if (silence === undefined) return undefined
  const target = silence[1] - LEAD_IN
  return target - position >= WORTH_IT ? target : undefined
}

/** State of a playback. Times in seconds. */
export interface PlaybackView {
  /** `asking`: a data URL is requested and playback has not started. */
  readonly phase: 'idle' | 'asking' | 'playing' | 'paused' | 'failed'
  readonly position: number
  readonly duration: number
  readonly speed: number
  /** Volume, 0 to 1. */
  readonly volume: number
  readonly skipsSilence: boolean
  /** Cause of the `failed` phase: the error of `ask`, or a MediaFailure. */
  readonly failure: unknown
}

/** The browser could not fetch or decode a fresh data URL. */
export class MediaFailure extends Error {
  /** Code of the MediaError: 2 network, 3 decoding, 4 not supported. */
  readonly code: number | undefined

  constructor(code: number | undefined) {
    super(`media error ${code ?? 'unknown'}`)
    this.name = 'MediaFailure'
    this.code = code
  }
}

/** Parts of an audio element that playback uses. */
export type Media = Pick<
  HTMLMediaElement,
  | 'src'
  | 'currentTime'
  | 'duration'
  | 'playbackRate'
  | 'volume'
  | 'defaultPlaybackRate'
  | 'preservesPitch'
  | 'error'
  | 'play'
  | 'pause'
  | 'load'
  | 'removeAttribute'
  | 'addEventListener'
  | 'removeEventListener'
>

export type Playback = ReturnType<typeof createPlayback>

/** Seconds: an error this close to the last renewal position is not caused by expiry. */
const PROGRESS = 0.5

/**
 * Plays one recording from data URLs that expire after a minute. Requests one on the first play, and a new one when it
 * expires. Never requests without a user action, as requests are audited.
 * @param ask returns a data URL
 */
export function createPlayback(
  media: Media,
  options: Pick<PlaybackView, 'duration' | 'speed' | 'volume' | 'skipsSilence'> & {
    ask: () => Promise<string>
  },
) {
  let view: PlaybackView = {
    phase: 'idle',
    position: 0,
    duration: options.duration,
    speed: options.speed,
    volume: options.volume,
    skipsSilence: options.skipsSilence,
    failure: undefined,
  }
  /** `fresh` until it has worked, `stale` after a later failure. */
  let address: 'none' | 'fresh' | 'proven' | 'stale' = 'none'
  let wantsSound = false
  let renewedAt: number | undefined
  let silences: Silences = []
  let round = 0
  const listeners = new Set<() => void>()
  const atEnd = new Set<() => void>()
  media.volume = options.volume

  const show = (change: Partial<PlaybackView>) => {
    view = { ...view, ...change }
    for (const listener of listeners) listener()
  }
  const fail = (failure: unknown) => {
    wantsSound = false
    address = 'none'
    show({ phase: 'failed', failure })
  }
  const applySpeed = () => {
    // A new source resets the playback rate.
    media.defaultPlaybackRate = view.speed
    media.playbackRate = view.speed
    media.preservesPitch = true
  }

  async function open(): Promise<void> {
    const mine = ++round
    show({ phase: 'asking', failure: undefined })
    try {
      const source = await options.ask()
      if (mine !== round) return
      address = 'fresh'
      media.src = source
      // Before metadata loads, this sets the start position.
      media.currentTime = view.position
      applySpeed()
    } catch (error) {
      if (mine === round) fail(error)
      return
    }
    if (wantsSound) await start()
    else show({ phase: 'paused' })
  }

  async function start(): Promise<void> {
    try {
      await media.play()
    } catch (error) {
      // A broken source fires an error event; an interrupted start is no failure.
      const name = error instanceof Error ? error.name : ''
      if (name === 'NotAllowedError') {
        wantsSound = false
        show({ phase: 'paused' })
      }
    }
  }

  const onTime = () => {
    if (address !== 'fresh' && address !== 'proven') return
    const target = view.skipsSilence && wantsSound ? afterSilence(media.currentTime, silences) : undefined
    if (target !== undefined) media.currentTime = target
    show({ position: target ?? media.currentTime })
  }
  const onMetadata = () => {
    address = 'proven'
    show(Number.isFinite(media.duration) ? { duration: media.duration } : {})
  }
  const onPlaying = () => show({ phase: 'playing' })
  const onPause = () => {
    if (view.phase === 'playing') show({ phase: 'paused' })
  }
  const onEnded = () => {
    wantsSound = false
    show({ phase: 'paused', position: view.duration })
    for (const listener of atEnd) listener()
  }
  const onError = () => {
    if (address === 'none' || address === 'stale') return
    const { position } = view
    const isHopeless =
      address === 'fresh' || (renewedAt !== undefined && Math.abs(position - renewedAt) < PROGRESS)
    if (isHopeless) return fail(new MediaFailure(media.error?.code))
    address = 'stale'
    renewedAt = position
    if (wantsSound) void open()
    else show({ phase: 'paused' })
  }
  const events = {
    timeupdate: onTime,
    seeking: onTime,
    loadedmetadata: onMetadata,
    playing: onPlaying,
    pause: onPause,
    ended: onEnded,
    error: onError,
  } as const
  for (const [name, listener] of Object.entries(events)) media.addEventListener(name, listener)

  const play = () => {
    wantsSound = true
    if (view.duration > 0 && view.position >= view.duration) seek(0)
    if (address === 'proven' || address === 'fresh') void start()
    else if (view.phase !== 'asking') void open()
  }
  const pause = () => {
    wantsSound = false
    media.pause()
    // A press while the request is pending cancels playback; the URL serves the next press.
    if (view.phase === 'asking' && address !== 'none') show({ phase: 'paused' })
  }
  const seek = (seconds: number) => {
    const position = Math.min(Math.max(0, seconds), view.duration || Number.POSITIVE_INFINITY)
    renewedAt = undefined
    show({ position })
    if (address === 'proven' || address === 'fresh') media.currentTime = position
  }

  return {
    play,
    pause,
    seek,
    toggle: () => (wantsSound ? pause() : play()),
    skip: (seconds: number) => seek(view.position + seconds),
    setSpeed: (speed: number) => {
      show({ speed })
      applySpeed()
    },
    setVolume: (volume: number) => {
      media.volume = volume
      show({ volume })
    },
    /** Expected duration in seconds; the audio's own duration wins. */
    expectDuration: (duration: number) => {
      if (address === 'none') show({ duration })
    },
    setSkipsSilence: (skipsSilence: boolean) => show({ skipsSilence }),
    setSilences: (found: Silences) => {
      silences = found
    },
    /** For `useSyncExternalStore`. */
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    view: () => view,
    /** Calls back when playback ends; returns the unsubscribe function. */
    whenOver: (listener: () => void) => {
      atEnd.add(listener)
      return () => void atEnd.delete(listener)
    },
    /** Stops playback and download, and releases the element. */
    close: () => {
      round++
      wantsSound = false
      address = 'none'
      for (const [name, listener] of Object.entries(events)) media.removeEventListener(name, listener)
      media.pause()
      media.removeAttribute('src')
      media.load()
    },
  }
}

/** Storage key of the skip-silence setting. */
export const SKIP_SILENCE_KEY = 'custodia.skip_silence'

/** The media element, and its playback. */
interface Playing {
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
