import type { Playback } from './playback.ts'

/** What somebody who wants to go on listening hears, or has just heard to its end. */
let heard: { payload_reference: string; isOver: boolean } | undefined
const listeners = new Set<(payload_reference: string) => void>()

/** Whether whoever goes on from this recording wants to hear the next one: it plays, or is about to. */
export const isListening = (payload_reference: string): boolean =>
  heard?.payload_reference === payload_reference && !heard.isOver

/** Whether it was played to its end, and nothing was done with it since. */
export const isHeardOut = (payload_reference: string): boolean =>
  heard?.payload_reference === payload_reference && heard.isOver

/** Calls with each recording that was played to its end; to be called when nobody waits for that any more. */
export function whenHeardOut(listener: (payload_reference: string) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/**
 * Follows what somebody who wants to go on listening does with a player.
 *
 * @returns to be called when it goes, or they want it no more
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
