import { load } from './load.ts'
import type { Line } from './report.ts'

/** Pairs of requests of the sign test. */
const PAIRS = 40

/** An item in hidden groups, compared with one that does not exist. */
export interface Hiding {
  name: string
  hidden: Parameters<typeof load>[0]
  missing: Parameters<typeof load>[0]
}

/**
 * Compares requests for something hidden with requests for something missing, one by one. The note says in how many pairs the hidden one was
 * slower, and how likely chance alone makes it so uneven.
 */
export async function measureHiding({ name, hidden, missing }: Hiding): Promise<Line> {
  const once = (target: Hiding['hidden']) => load(target, 1, 0)
  await once(hidden)
  const pairs: Line['pairs'] = []
  for (let n = 0; n < PAIRS; n++) {
    const early = n % 2 === 0 ? await once(hidden) : undefined
    const baseline = await once(missing)
    pairs.push({ subject: early ?? (await once(hidden)), floor: baseline })
  }
  const slower = pairs.filter(({ subject, floor: baseline }) => subject.p50 > baseline.p50).length
  const note = `hidden slower in ${slower} of ${PAIRS}, sign test p = ${signTest(slower, PAIRS).toFixed(3)}`
  return { name, note, pairs }
}

/** Two-sided sign test: how likely `n` throws of a coin come at least as unevenly as `k`. */
function signTest(k: number, n: number): number {
  let tail = 0
  let ways = 1
  for (let i = 0; i <= Math.min(k, n - k); i++) {
    tail += ways
    ways = (ways * (n - i)) / (i + 1)
  }
  return Math.min(1, (2 * tail) / 2 ** n)
}
