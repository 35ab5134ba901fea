import { FASTEST_PLAYBACK } from '@custodia/domain/can'

/** Speeds on offer (frontend design: 0.5 to 3 ×). */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, FASTEST_PLAYBACK] as const

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
/** Seconds between two positions that a player reports, at the highest speed. */
const STEP = 1
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

/** Seconds: an error this close to the last renewal position is not caused by expiry. */
const PROGRESS = 0.5

type Options = Pick<PlaybackView, 'duration' | 'speed' | 'volume' | 'skipsSilence'> & {
  ask: () => Promise<string>
}

/**
 * Plays one recording from data URLs that expire after a minute. Requests one on the first play, and a new one when it
 * expires. Never requests without a user action, as requests are audited.
 */
export class Playback {
  #view: PlaybackView
  /** `fresh` until it has worked, `stale` after a later failure. */
  #address: 'none' | 'fresh' | 'proven' | 'stale' = 'none'
  #wantsSound = false
  #renewedAt: number | undefined
  #silences: Silences = []
  #round = 0
  readonly #media: Media
  readonly #ask: () => Promise<string>
  readonly #listeners = new Set<() => void>()
  readonly #atEnd = new Set<() => void>()
  readonly #events = {
    timeupdate: () => this.#onTime(),
    seeking: () => this.#onTime(),
    loadedmetadata: () => this.#onMetadata(),
    playing: () => this.#show({ phase: 'playing' }),
    pause: () => {
      if (this.#view.phase === 'playing') this.#show({ phase: 'paused' })
    },
    ended: () => this.#onEnded(),
    error: () => this.#onError(),
  }

  /** @param ask returns a data URL */
  constructor(media: Media, { ask, ...options }: Options) {
    this.#media = media
    this.#ask = ask
    this.#view = { ...options, phase: 'idle', position: 0, failure: undefined }
    media.volume = options.volume
    for (const [name, listener] of Object.entries(this.#events)) media.addEventListener(name, listener)
  }

  view = (): PlaybackView => this.#view

  play = (): void => {
    const { duration, position, phase } = this.#view
    this.#wantsSound = true
    if (duration > 0 && position >= duration) this.seek(0)
    if (this.#isOpen()) void this.#start()
    else if (phase !== 'asking') void this.#open()
  }

  pause(): void {
    this.#wantsSound = false
    this.#media.pause()
    // A press while the request is pending cancels playback; the URL serves the next press.
    if (this.#view.phase === 'asking' && this.#address !== 'none') this.#show({ phase: 'paused' })
  }

  seek = (seconds: number): void => {
    const position = Math.min(Math.max(0, seconds), this.#view.duration || Number.POSITIVE_INFINITY)
    this.#renewedAt = undefined
    this.#show({ position })
    if (this.#isOpen()) this.#media.currentTime = position
  }

  toggle = (): void => {
    if (this.#wantsSound) this.pause()
    else this.play()
  }

  skip(seconds: number): void {
    this.seek(this.#view.position + seconds)
  }

  setSpeed(speed: number): void {
    this.#show({ speed })
    this.#applySpeed()
  }

  setVolume(volume: number): void {
    this.#media.volume = volume
    this.#show({ volume })
  }

  /** Expected duration in seconds; the audio's own duration wins. */
  expectDuration(duration: number): void {
    if (this.#address === 'none') this.#show({ duration })
  }

  setSkipsSilence(skipsSilence: boolean): void {
    this.#show({ skipsSilence })
  }

  setSilences(found: Silences): void {
    this.#silences = found
  }

  /** Whether the step between two positions skipped a silence. */
  hasSkipped(from: number, to: number): boolean {
    const isWithin = ([start, end]: Silences[number]) =>
      from >= start - STEP && from <= end && to <= end + STEP
    return this.#view.skipsSilence && this.#silences.some(isWithin)
  }

  /** For `useSyncExternalStore`. */
  subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Calls back when playback ends; returns the unsubscribe function. */
  whenOver(listener: () => void): () => void {
    this.#atEnd.add(listener)
    return () => void this.#atEnd.delete(listener)
  }

  /** Stops playback and download, and releases the element. */
  close(): void {
    this.#round++
    this.#wantsSound = false
    this.#address = 'none'
    for (const [name, listener] of Object.entries(this.#events))
      this.#media.removeEventListener(name, listener)
    this.#media.pause()
    this.#media.removeAttribute('src')
    this.#media.load()
  }

  #isOpen = (): boolean => this.#address === 'proven' || this.#address === 'fresh'

  #show(change: Partial<PlaybackView>): void {
    this.#view = { ...this.#view, ...change }
    for (const listener of this.#listeners) listener()
  }

  #fail(failure: unknown): void {
    this.#wantsSound = false
    this.#address = 'none'
    this.#show({ phase: 'failed', failure })
  }

  #applySpeed(): void {
    // A new source resets the playback rate.
    this.#media.defaultPlaybackRate = this.#view.speed
    this.#media.playbackRate = this.#view.speed
    this.#media.preservesPitch = true
  }

  async #open(): Promise<void> {
    const mine = ++this.#round
    this.#show({ phase: 'asking', failure: undefined })
    try {
      const source = await this.#ask()
      if (mine !== this.#round) return
      this.#address = 'fresh'
      this.#media.src = source
      // Before metadata loads, this sets the start position.
      this.#media.currentTime = this.#view.position
      this.#applySpeed()
    } catch (error) {
      if (mine === this.#round) this.#fail(error)
      return
    }
    if (this.#wantsSound) await this.#start()
    else this.#show({ phase: 'paused' })
  }

  async #start(): Promise<void> {
    try {
      await this.#media.play()
    } catch (error) {
      // A broken source fires an error event; an interrupted start is no failure.
      const name = error instanceof Error ? error.name : ''
      if (name === 'NotAllowedError') {
        this.#wantsSound = false
        this.#show({ phase: 'paused' })
      }
    }
  }

  #onTime(): void {
    if (!this.#isOpen()) return
    const isSkipping = this.#view.skipsSilence && this.#wantsSound
    const target = isSkipping ? afterSilence(this.#media.currentTime, this.#silences) : undefined
    if (target !== undefined) this.#media.currentTime = target
    this.#show({ position: target ?? this.#media.currentTime })
  }

  #onMetadata(): void {
    this.#address = 'proven'
    const { duration } = this.#media
    this.#show(Number.isFinite(duration) ? { duration } : {})
  }

  #onEnded(): void {
    this.#wantsSound = false
    this.#show({ phase: 'paused', position: this.#view.duration })
    for (const listener of this.#atEnd) listener()
  }

  #onError(): void {
    if (!this.#isOpen()) return
    const { position } = this.#view
    const isHopeless =
      this.#address === 'fresh' ||
      (this.#renewedAt !== undefined && Math.abs(position - this.#renewedAt) < PROGRESS)
    if (isHopeless) return this.#fail(new MediaFailure(this.#media.error?.code))
    this.#address = 'stale'
    this.#renewedAt = position
    if (this.#wantsSound) void this.#open()
    else this.#show({ phase: 'paused' })
  }
}
