import type { Playback } from './playback.ts'

/** Playback state for autoplay. */
let heard: { payload_reference: string; isOver: boolean } | undefined
const listeners = new Set<(payload_reference: string) => void>()

/** Whether autoplay may continue: this recording plays or is about to play. */
export const isListening = (payload_reference: string): boolean =>
  heard?.payload_reference === payload_reference && !heard.isOver

/** Whether it played to its end, without a user action since. */
export const isHeardOut = (payload_reference: string): boolean =>
  heard?.payload_reference === payload_reference && heard.isOver

/** Calls back after each recording that ends; returns the unsubscribe function. */
export function whenHeardOut(listener: (payload_reference: string) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Tracks a player for autoplay.
 * @returns cleanup function
 */
export function followListener(
  payload_reference: string,
  playback: Pick<Playback, 'view' | 'subscribe' | 'whenOver'>,
): () => void {
  const note = () => {
    const { phase, position, duration } = playback.view()
    if (phase === 'playing' || phase === 'asking') heard = { payload_reference, isOver: false }
    else if (!isHeardOut(payload_reference) || phase !== 'paused' || position < duration) heard = undefined
  }
  note()
  const ends = [
    playback.subscribe(note),
    playback.whenOver(() => {
      heard = { payload_reference, isOver: true }
      for (const listener of listeners) listener(payload_reference)
    }),
  ]
  return () => {
    for (const end of ends) end()
    heard = undefined
  }
}
