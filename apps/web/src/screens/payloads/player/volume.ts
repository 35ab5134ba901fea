const KEY = 'custodia.playback_volume'
export const VOLUME_STEP = 0.1

/** Last volume chosen in this browser, 0 to 1. */
export function storedVolume(storage: Pick<Storage, 'getItem'>): number {
  const stored = storage.getItem(KEY)
  const volume = Number(stored)
  return stored !== null && stored !== '' && volume >= 0 && volume <= 1 ? volume : 1
}

export const storeVolume = (storage: Pick<Storage, 'setItem'>, volume: number): void =>
  storage.setItem(KEY, String(volume))

/** Volume changed by `by`, limited to 0–1 and rounded. */
export const nextVolume = (volume: number, by: number): number =>
  Math.round(Math.min(1, Math.max(0, volume + by)) * 100) / 100
