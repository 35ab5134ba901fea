interface Player {
  play: () => void
  toggle: () => void
}

let wished: string | undefined
let onScreen: { payload_reference: string; player: Player } | undefined

/**
 * Somebody pressed play elsewhere: the player of that recording begins as soon as it is on screen, and one that is there already plays
 * or pauses. Kept in memory alone, so that no address and no reload plays anything: playing is an audited act.
 */
export function wishToHear(payload_reference: string): void {
  if (onScreen?.payload_reference === payload_reference) onScreen.player.toggle()
  else wished = payload_reference
}

/**
 * The player of `payload_reference` is on screen. It plays if that was wished for, once for each wish; any other recording ends it.
 *
 * @returns to be called when it goes
 */
export function hearWishes(payload_reference: string, player: Player): () => void {
  const entry = { payload_reference, player }
  onScreen = entry
  if (wished === payload_reference) player.play()
  wished = undefined
  return () => {
    if (onScreen === entry) onScreen = undefined
  }
}

/** It cannot be heard after all. */
export function dropWish(payload_reference: string): void {
  if (wished === payload_reference) wished = undefined
}
