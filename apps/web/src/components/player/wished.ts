let wished: string | undefined

/**
 * Somebody pressed play elsewhere: the player of that recording begins as soon as it is on screen. Kept in memory alone, so that no
 * address and no reload plays anything: playing is an audited act.
 */
export const wishToHear = (payload_reference: string): void => {
  wished = payload_reference
}

/** Whether `payload_reference` is to be played; true once for each wish, and any other recording ends it. */
export function takeWish(payload_reference: string): boolean {
  const isWished = wished === payload_reference
  wished = undefined
  return isWished
}
