import type { Playback } from './playback.ts'

/** Recordings shorter than this always start at zero, in seconds. */
const LONG = 30
/** Margins in seconds: less counts as not started, or as finished. */
const [BEGUN, HEARD_OUT] = [5, 3]
/** Minimum difference in seconds to save during playback: each save is an audit entry. */
const EVERY = 60

/** Position to save, in whole seconds; null clears it after the end; undefined keeps the saved one. Both inputs in seconds. */
export function worthKeeping(position: number, duration: number): number | null | undefined {
  if (!(duration >= LONG) || position < BEGUN) return undefined
  return position > duration - HEARD_OUT ? null : Math.floor(position)
}

/**
 * Saves the position on pause, on leave and at intervals; not before playback.
 * @param kept saved position in seconds
 * @param save saves a position, or null
 * @param leaving the page may be closed
 * @returns cleanup function
 */
export function keepPlayhead(
  playback: Pick<Playback, 'view' | 'subscribe'>,
  kept: number | undefined,
  save: (playhead: number | null) => void,
  leaving: Pick<Document, 'addEventListener' | 'removeEventListener'>,
): () => void {
  let saved: number | null = kept ?? null
  let hasPlayed = false
  let wasPlaying = false
  const settle = () => {
    const { position, duration } = playback.view()
    const worth = hasPlayed ? worthKeeping(position, duration) : undefined
    if (worth === undefined || worth === saved) return
    saved = worth
    save(worth)
  }
  const look = () => {
    const { phase, position } = playback.view()
    const isPlaying = phase === 'playing'
    hasPlayed ||= isPlaying
    const hasStopped = wasPlaying && !isPlaying
    wasPlaying = isPlaying
    if (hasStopped || (isPlaying && Math.abs(position - (saved ?? 0)) >= EVERY)) settle()
  }
  const end = playback.subscribe(look)
  leaving.addEventListener('visibilitychange', settle)
  return () => {
    end()
    leaving.removeEventListener('visibilitychange', settle)
    settle()
  }
}
