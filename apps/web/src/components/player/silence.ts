/** Stretches without sound, each from and to in seconds. */
export type Silences = readonly (readonly [from: number, to: number])[]

/** Kept of every silence, in seconds, so that speech does not start with a cut. */
const LEAD_IN = 0.15
/** A jump that saves less than this, in seconds, is heard as a stutter. */
const WORTH_IT = 0.5

/** Where to go on when `position` lies in a silence; undefined to let it play. All in seconds. */
export function afterSilence(position: number, silences: Silences): number | undefined {
  const silence = silences.find(([from, to]) => position >= from && position < to)
  if (silence === undefined) return undefined
  const target = silence[1] - LEAD_IN
  return target - position >= WORTH_IT ? target : undefined
}
