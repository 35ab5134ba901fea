const KEY = 'custodia.playback_volume'
/** How much louder or softer a key makes it. */
export const VOLUME_STEP = 0.1

/** The volume that the reader chose last in this browser, 0 to 1. */
export function storedVolume(storage: Pick<Storage, 'getItem'>): number {
  const stored = storage.getItem(KEY)
  const volume = Number(stored)
  return stored !== null && stored !== '' && volume >= 0 && volume <= 1 ? volume : 1
}

export const storeVolume = (storage: Pick<Storage, 'setItem'>, volume: number): void =>
  storage.setItem(KEY, String(volume))

/** A volume by `by` louder or softer, within 0 and 1; without the crumbs of binary fractions. */
export const nextVolume = (volume: number, by: number): number =>
  Math.round(Math.min(1, Math.max(0, volume + by)) * 100) / 100
