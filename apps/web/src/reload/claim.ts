/** Guard time between reloads of a path (spec section 9), in milliseconds. */
export const RELOAD_GUARD_MS = 10_000
/** The inline script of index.html writes the same key. */
const KEY = 'custodia.reloads'

type Claims = Record<string, number>

function readClaims(storage: Storage): Claims {
  const parsed: unknown = JSON.parse(storage.getItem(KEY) ?? '{}')
  return typeof parsed === 'object' && parsed !== null ? (parsed as Claims) : {}
}

/**
 * Claims a reload of `path`. True at most once per path and 10 s; false when the storage is unusable, because an
 * unrecorded reload could loop.
 */
export function claimReload(path: string, storage: () => Storage, now: number): boolean {
  try {
    const store = storage()
    const live = Object.entries(readClaims(store)).filter(([, until]) => until > now)
    const refused = live.some(([claimed]) => claimed === path)
    if (!refused) live.push([path, now + RELOAD_GUARD_MS])
    store.setItem(KEY, JSON.stringify(Object.fromEntries(live)))
    return !refused
  } catch {
    return false
  }
}
