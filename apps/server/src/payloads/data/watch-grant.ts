import type { Grant, Grants } from './media-grant.ts'

/** Milliseconds between two permission checks of a running response. */
const CHECK_INTERVAL_MS = 1000

/**
 * Repeats the permission check while a response runs; `signal` aborts when it fails or cannot be made. A slow reader
 * must not delay a revocation.
 */
export function watchGrant(
  grants: Pick<Grants, 'holds'>,
  grant: Grant,
): { signal: AbortSignal; stop: () => void } {
  const cut = new AbortController()
  let timer: NodeJS.Timeout
  let isStopped = false
  const ask = () => {
    timer = setTimeout(async () => {
      const holds = await grants.holds(grant).catch(() => false)
      if (isStopped) return
      if (holds) ask()
      else cut.abort()
    }, CHECK_INTERVAL_MS).unref()
  }
  ask()
  return {
    signal: cut.signal,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
