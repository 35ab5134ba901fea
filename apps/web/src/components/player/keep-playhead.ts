import type { Playback } from './playback.ts'

/** Recordings shorter than this are heard from their start, in seconds. */
const LONG = 30
/** Less than this was only just begun, and this close to the end it was heard: in seconds. */
const [BEGUN, HEARD_OUT] = [5, 3]
/** Seconds by which a place differs from the one that is kept, until it is kept while it plays: each is an entry of the audit log. */
const EVERY = 60

/**
 * What to keep of a place in a recording, in whole seconds; null: nothing, for it was heard to its end; undefined: what is kept stays. Both in
 * seconds.
 */
export function worthKeeping(position: number, duration: number): number | null | undefined {
  if (!(duration >= LONG) || position < BEGUN) return undefined
  return position > duration - HEARD_OUT ? null : Math.floor(position)
}

/**
 * Keeps where the reader stops: when they pause or leave, and now and then while they listen; never before they have heard something.
 *
 * @param kept what is kept by now, in seconds
 * @param save keeps another place, or none
 * @param leaving whoever hides the page may not come back to it
 * @returns to be called when the player goes
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
