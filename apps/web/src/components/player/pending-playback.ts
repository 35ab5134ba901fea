interface Player {
  play: () => void
  toggle: () => void
  /** Seconds. */
  seek: (seconds: number) => void
  view: () => { readonly position: number }
}

let pending: { payload_reference: string; from: number | undefined } | undefined
let onScreen: { payload_reference: string; player: Player } | undefined

/**
 * Somebody pressed play elsewhere: the player of that recording begins as soon as it is on screen, and one that is there already plays
 * or pauses, or plays from the second that is named. Kept in memory alone, so that no address and no reload plays anything: playing is
 * an audited act.
 */
export function requestPlayback(payload_reference: string, from?: number): void {
  if (onScreen?.payload_reference !== payload_reference) pending = { payload_reference, from }
  else if (from === undefined) onScreen.player.toggle()
  else playFrom(onScreen.player, from)
}

function playFrom(player: Player, from: number | undefined): void {
  if (from !== undefined) player.seek(from)
  player.play()
}

/**
 * The player of `payload_reference` is on screen. It plays if that was wished for, once for each wish; any other recording ends it.
 *
 * @returns to be called when it goes
 */
export function onPlaybackRequest(payload_reference: string, player: Player): () => void {
  const entry = { payload_reference, player }
  onScreen = entry
  if (pending?.payload_reference === payload_reference) playFrom(player, pending.from)
  pending = undefined
  return () => {
    if (onScreen === entry) onScreen = undefined
  }
}

/** The same key again, before there is a player: the wish is taken back. */
export function togglePlayback(payload_reference: string): void {
  if (pending?.payload_reference === payload_reference) pending = undefined
  else requestPlayback(payload_reference)
}

/** It cannot be heard after all. */
export function dropPlaybackRequest(payload_reference: string): void {
  if (pending?.payload_reference === payload_reference) pending = undefined
}

/** Where the player of a recording stands, in seconds; undefined: it is not on screen, or the reader may not hear it. */
export const positionIn = (payload_reference: string): number | undefined =>
  onScreen?.payload_reference === payload_reference ? onScreen.player.view().position : undefined
