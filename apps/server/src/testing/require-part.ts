/**
 * Options for a test that needs an external program. Without it the test is skipped with the reason; with `CI=true`
 * it fails, so that nothing is silently untested there.
 */
export function requirePart(name: string, available: boolean): { skip: string | false } {
  if (available) return { skip: false }
  const reason = `${name} is not available here; install it with: npm run parts`
  if (process.env['CI'] === 'true') throw new Error(reason)
  return { skip: reason }
}

/** Same numbers for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
