interface Entry {
  log_id: string
}

/**
 * Log entries of the playback that begins with `first`, in order.
 * @param entries of the same person, network, action and recording, newest first
 * @param plays entries that start a playback
 */
export function entriesOfPlay<E extends Entry>(
  first: string,
  entries: readonly E[],
  plays: readonly Entry[],
): E[] {
  const begins = new Set(plays.map(({ log_id }) => log_id))
  const inOrder = entries.toReversed()
  const start = inOrder.findIndex(({ log_id }) => log_id === first)
  if (start < 0) return []
  const end = inOrder.findIndex(({ log_id }, index) => index > start && begins.has(log_id))
  return inOrder.slice(start, end < 0 ? undefined : end)
}
