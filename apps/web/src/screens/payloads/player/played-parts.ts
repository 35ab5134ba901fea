import type { PlayedPart } from '@custodia/contract'
import { boundParts } from '@custodia/domain/can'
import type { Playback } from './playback.ts'

/** Seconds of difference between clock and playback that are no jump: players report their position in steps. */
const STEP = 0.75
/** Seconds between reports during playback. */
const EVERY = 10

/** Sends parts; resolves to whether the server has them. */
type Send = (parts: readonly PlayedPart[], isLeaving: boolean) => Promise<boolean>

/** What one playback has played. Jumps are left out; a silence that the player skips counts as played. */
export class PlayedParts {
  #parts: readonly PlayedPart[] = []
  #unsent: readonly PlayedPart[] = []
  #open: { to: number; at: number } | undefined
  #sentAt: number
  #sending: Promise<void> = Promise.resolve()
  readonly #playback: Pick<Playback, 'view' | 'subscribe' | 'hasSkipped'>
  readonly #send: Send
  readonly #now: () => number
  readonly #listeners = new Set<() => void>()

  /**
   * @param known parts of earlier playbacks
   * @param now seconds of a steady clock
   */
  constructor(
    playback: Pick<Playback, 'view' | 'subscribe' | 'hasSkipped'>,
    { known, send, now }: { known: readonly PlayedPart[]; send: Send; now: () => number },
  ) {
    this.#playback = playback
    this.#send = send
    this.#now = now
    this.#parts = known
    this.#sentAt = now()
    playback.subscribe(() => this.#look())
  }

  /** All played parts, those of earlier playbacks included. */
  parts = (): readonly PlayedPart[] => this.#parts

  /** For `useSyncExternalStore`. */
  subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Sends what is not sent yet. A failed report is repeated with the next one. */
  flush = (isLeaving = false): Promise<void> => {
    this.#sentAt = this.#now()
    const parts = this.#unsent
    if (parts.length === 0) return this.#sending
    this.#unsent = []
    const report = async () => {
      if (!(await this.#send(parts, isLeaving)))
        this.#unsent = boundParts([...parts, ...this.#unsent], undefined)
    }
    // A leaving page cannot wait for earlier reports.
    this.#sending = isLeaving ? report() : this.#sending.then(report)
    return this.#sending
  }

  #look(): void {
    const { phase, position, speed } = this.#playback.view()
    const at = this.#now()
    const open = this.#open
    if (open !== undefined) {
      const ahead = position - open.to
      const most = (at - open.at) * speed + STEP
      if (ahead >= 0 && (ahead <= most || this.#playback.hasSkipped(open.to, position)))
        this.#open = { to: position, at }
      else this.#open = undefined
      if (this.#open !== undefined) this.#add({ from: open.to, to: position })
    }
    if (phase !== 'playing') {
      this.#open = undefined
      if (open !== undefined) void this.flush()
      return
    }
    this.#open ??= { to: position, at }
    if (at - this.#sentAt >= EVERY) void this.flush()
  }

  #add(part: PlayedPart): void {
    this.#unsent = boundParts([...this.#unsent, part], undefined)
    this.#parts = boundParts([...this.#parts, part], undefined)
    for (const listener of this.#listeners) listener()
  }
}
