/** Cuts a list into runs of at most `items` items and `weight` in all; one heavier item goes alone. */
export function batches<T>(
  list: readonly T[],
  items: number,
  weight: number,
  weigh: (item: T) => number,
): T[][] {
  const cut: T[][] = []
  let room = 0
  for (const item of list) {
    const last = cut.at(-1)
    if (last && last.length < items && weigh(item) <= room) last.push(item)
    else {
      cut.push([item])
      room = weight
    }
    room -= weigh(item)
  }
  return cut
}

/** Works on all items, `atOnce` at a time. Waits for all; then throws the first failure, if any. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  async function worker() {
    for (const item of waiting) {
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
        // The network is down: the rest waits for the next time.
        return
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
