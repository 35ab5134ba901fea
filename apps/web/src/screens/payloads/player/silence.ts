/** Silences, each from and to in seconds. */
export type Silences = readonly (readonly [from: number, to: number])[]

/** Silence kept before speech, in seconds, so that speech is not cut. */
const LEAD_IN = 0.15
/** Minimum skip in seconds: shorter ones sound like stutter. */
const WORTH_IT = 0.5

/** Skip target when `position` is in a silence; undefined otherwise. In seconds. */
export function afterSilence(position: number, silences: Silences): number | undefined {
  const silence = silences.find(([from, to]) => position >= from && position < to)
  if (silence === undefined) return undefined
  const target = silence[1] - LEAD_IN
  return target - position >= WORTH_IT ? target : undefined
}
