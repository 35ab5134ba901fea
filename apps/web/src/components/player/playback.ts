import { afterSilence, type Silences } from './silence.ts'

/** What a listener sees. Times in seconds. */
export interface PlaybackView {
  /** `asking`: an address was asked for and sound has not started yet. */
  readonly phase: 'idle' | 'asking' | 'playing' | 'paused' | 'failed'
  readonly position: number
  readonly duration: number
  readonly speed: number
  /** 0 to 1. */
  readonly volume: number
  readonly skipsSilence: boolean
  /** Why the phase is `failed`: what `ask` threw, or a MediaFailure. */
  readonly failure: unknown
}

/** The browser could not fetch or decode what a fresh address gave. */
export class MediaFailure extends Error {
  /** Code of the MediaError: 2 network, 3 decoding, 4 not supported. */
  readonly code: number | undefined

  constructor(code: number | undefined) {
    super(`media error ${code ?? 'unknown'}`)
    this.name = 'MediaFailure'
    this.code = code
  }
}

/** The parts of an audio element that playing needs. */
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

/** An error this close to where the address was last renewed, in seconds, is not the address's fault. */
const PROGRESS = 0.5

/**
 * Plays one recording from addresses that live a minute. The first press of play asks for one; when an address that
 * worked fails later, a new one is asked for and playing goes on at the same place. Nothing is asked without the
 * reader's wish, because asking is an audited act.
 *
 * @param ask gives an address of the data; called for every address
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
  /** `fresh` until it has shown to work, `stale` once it failed after that. */
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
    // A new source falls back to the default rate.
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
      // Before the metadata is there, this sets where playing starts.
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
      // A broken source arrives as an error event; an interrupted start is no failure.
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
    // A press during the question takes the wish back; the address is kept for the next press.
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
    /** Seconds, as far as known before the sound is fetched; the sound itself knows better. */
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
    /** Calls when it was played to its end; to be called when nobody waits for that any more. */
    whenOver: (listener: () => void) => {
      atEnd.add(listener)
      return () => void atEnd.delete(listener)
    },
    /** Stops sound and download, and lets go of the element. */
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
