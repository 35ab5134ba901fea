/** Adds a value to an LRU cache and evicts the oldest entry above `most`. */
export function cacheEntry<V>(map: Map<string, V>, name: string, value: V, most: number): void {
  map.delete(name)
  map.set(name, value)
  const oldest = map.keys().next().value
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
