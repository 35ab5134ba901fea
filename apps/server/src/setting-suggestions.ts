import { distance } from 'fastest-levenshtein'

/** Settings of other programs that look like misspelt ones of ours. */
const OTHERS = new Set(['HOME', 'HOSTNAME', 'HOSTTYPE', 'POST', 'PORTS', 'HOSTS'])

/** The setting of `known` that `name` likely misspells; undefined when none is near. */
export function meant(name: string, known: readonly string[]): string | undefined {
  if (OTHERS.has(name)) return undefined
  // Short names resemble many others.
  const most = name.length < 8 ? 1 : 2
  return known
    .map((each) => ({ each, slips: distance(name, each) }))
    .filter(({ slips }) => slips > 0 && slips <= most)
    .toSorted((a, b) => a.slips - b.slips)[0]?.each
}
