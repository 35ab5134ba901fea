/** Adds the most recent entry of a cache, and drops the oldest one above `most`. */
export function cacheEntry<K, V>(cache: Map<K, V>, key: K, value: V, most: number): void {
  cache.delete(key)
  cache.set(key, value)
  const oldest = cache.size > most ? cache.keys().next() : undefined
  if (oldest?.done === false) cache.delete(oldest.value)
}
