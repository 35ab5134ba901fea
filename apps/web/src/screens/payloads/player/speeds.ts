/** Speeds on offer (frontend design: 0.5 to 3 ×). */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const

const KEY = 'custodia.playback_speed'

/** The next faster (`step` 1) or slower (`step` −1) speed; stops at the ends. */
export function nextSpeed(speed: number, step: 1 | -1): number {
  const faster = SPEEDS.filter((one) => (step > 0 ? one > speed : one < speed))
  return (step > 0 ? faster[0] : faster.at(-1)) ?? speed
}

/** Last speed chosen in this browser. */
export function storedSpeed(storage: Pick<Storage, 'getItem'>): number {
  const stored = Number(storage.getItem(KEY))
  return SPEEDS.find((speed) => speed === stored) ?? 1
}

export const storeSpeed = (storage: Pick<Storage, 'setItem'>, speed: number): void =>
  storage.setItem(KEY, String(speed))
