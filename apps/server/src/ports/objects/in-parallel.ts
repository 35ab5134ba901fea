/**
 * Runs work for each item, with limited concurrency. Rejects with the first error after all running work has
 * ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
