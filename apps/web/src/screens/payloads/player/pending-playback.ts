interface Player {
  play: () => void
  toggle: () => void
  seek: (seconds: number) => void
  view: () => { readonly position: number }
}

let pending: { payload_reference: string; from: number | undefined } | undefined
/** Recording that the sound follows to while it has no player. */
let following: string | undefined
let onScreen: { payload_reference: string; player: Player } | undefined

/**
 * Play request from elsewhere: the recording's player starts on mount, or toggles, or seeks. Kept in memory only, so
 * that no address or reload plays anything: playback is audited.
 */
export function requestPlayback(payload_reference: string, from?: number): void {
  following = undefined
  if (onScreen?.payload_reference !== payload_reference) pending = { payload_reference, from }
  else if (from === undefined) onScreen.player.toggle()
  else playFrom(onScreen.player, from)
}

function playFrom(player: Player, from: number | undefined): void {
  if (from !== undefined) player.seek(from)
  player.play()
}

/**
 * Registers the mounted player of `payload_reference` and starts a pending playback of it once; another recording
 * drops the request.
 * @returns cleanup function
 */
export function onPlaybackRequest(payload_reference: string, player: Player): () => void {
  const entry = { payload_reference, player }
  onScreen = entry
  if (pending?.payload_reference === payload_reference) playFrom(player, pending.from)
  pending = following = undefined
  return () => {
    if (onScreen === entry) onScreen = undefined
  }
}

/**
 * The sound follows the cursor of a list to another recording, also across recordings that cannot be played.
 * @param isListening whether the first one plays, with autoplay
 */
export function followPlayback(from: string, to: string, isListening: boolean): void {
  if (!isListening && following !== from) return
  requestPlayback(to)
  following = to
}

/** The same key again, before the player mounts, cancels the request. */
export function togglePlayback(payload_reference: string): void {
  following = undefined
  if (pending?.payload_reference === payload_reference) pending = undefined
  else requestPlayback(payload_reference)
}

/**
 * Drops the request: playback is not possible.
 * @returns cleanup function: the user leaves the recording
 */
export function dropPlaybackRequest(payload_reference: string): () => void {
  if (pending?.payload_reference === payload_reference) pending = undefined
  return () => {
    if (following === payload_reference) following = undefined
  }
}

/** Position of a recording's player in seconds; undefined: no player, or no right to play. */
export const positionIn = (payload_reference: string): number | undefined =>
  onScreen?.payload_reference === payload_reference ? onScreen.player.view().position : undefined
