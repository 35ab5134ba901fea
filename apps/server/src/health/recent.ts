/**
 * Caches the newest result of an expensive check for `keep` ms and runs one at a time. Undefined if it fails or takes
 * longer than `limit` ms; never rejects.
 */
export function recent<T>(
  ask: () => Promise<T>,
  { limit, keep }: { limit: number; keep: number },
): () => Promise<T | undefined> {
  let last: { value: T; at: number } | undefined
  let running: Promise<T | undefined> | undefined
  return async () => {
    if (last && performance.now() - last.at < keep) return last.value
    running ??= ask()
      .then(
        (value) => {
          last = { value, at: performance.now() }
          return value
        },
        () => undefined,
      )
      .finally(() => (running = undefined))
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), limit)
    return Promise.race([running, late]).finally(() => clearTimeout(timer))
  }
}
