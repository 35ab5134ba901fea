/** Settings of other programs that look like misspelt ones of ours. */
const OTHERS = new Set(['HOME', 'HOSTNAME', 'HOSTTYPE', 'POST', 'PORTS', 'HOSTS'])

/** Letters to insert, remove, change or exchange with a neighbour to get from one name to the other (optimal string alignment). */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The setting that somebody who wrote `name` likely meant. */
export function meant(name: string, known: readonly string[]): string | undefined {
  if (OTHERS.has(name)) return undefined
  // Short names are close to everything: one slip of the finger only.
  const most = name.length < 8 ? 1 : 2
  return known
    .map((each) => ({ each, slips: distance(name, each) }))
    .filter(({ slips }) => slips > 0 && slips <= most)
    .toSorted((a, b) => a.slips - b.slips)[0]?.each
}
