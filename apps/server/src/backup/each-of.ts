/** Copies that run at the same time: each waits for its disk, which makes several durable at once. */
const AT_ONCE = 16

/** Runs `work` for each item, a few at a time; the first failure ends it. */
export async function eachOf<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let isOver = false
  const lane = async () => {
    while (!isOver) {
      const next = await iterator.next()
      if (next.done) return
      await work(next.value)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  } finally {
    isOver = true
    await iterator.return?.()
  }
}
