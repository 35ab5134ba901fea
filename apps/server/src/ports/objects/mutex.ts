/** Serializes work with the same key in the order of the calls, within this process. */
export function mutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>()
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, over)
    void over.then(() => {
      if (last.get(key) === over) last.delete(key)
    })
    return mine
  }
}
