/**
 * The newest answer of something that takes effort: asked once at a time, good for `keep` ms. Undefined where it failed or does not come
 * within `limit` ms; never rejects.
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
