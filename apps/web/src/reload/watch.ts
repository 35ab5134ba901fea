import { claimReload } from './claim.ts'

/** How often the portal asks for the current build (spec section 9): one hour, in milliseconds. */
export const BUILD_CHECK_MS = 3_600_000

/** The few things of router and browser that the watch needs, so that its rules can be tested with a fake clock. */
export interface ReloadHost {
  /** Address that the router is going to, with search and language prefix. */
  target: () => string
  /** Runs `listener` before each navigation; `pathChanged` is false for a mere change of search parameters. */
  onBeforeNavigate: (listener: (pathChanged: boolean) => void) => void
  /** Runs `listener` when a navigation has ended. */
  onResolved: (listener: () => void) => void
  /** Build id that the server offers now, or undefined when it cannot be told. */
  offeredBuild: () => Promise<string | undefined>
  /** Loads the document at `address`. */
  load: (address: string) => void
  every: (milliseconds: number, task: () => void) => void
  storage: () => Storage
  now: () => number
}

const pathOf = (address: string): string => address.split(/[?#]/, 1)[0] ?? address

/**
 * Reloads at the target path on a chunk error or a new build, at most once per path within 10 s (spec section 4).
 * Never under somebody who types or listens: a new build waits for the next change of path, and a failed preload by
 * hovering stays silent. Returns the handler for `vite:preloadError`: true when a reload is under way.
 */
export function watchForReload(host: ReloadHost, runningBuild: string): () => boolean {
  let navigating = false
  let outdated = false
  const reloadAt = (address: string): boolean => {
    if (!claimReload(pathOf(address), host.storage, host.now())) return false
    host.load(address)
    return true
  }
  host.onBeforeNavigate((pathChanged) => {
    navigating = true
    if (outdated && pathChanged) reloadAt(host.target())
  })
  host.onResolved(() => {
    navigating = false
  })
  host.every(BUILD_CHECK_MS, () => {
    void host.offeredBuild().then((offered) => {
      outdated = offered !== undefined && offered !== runningBuild
    })
  })
  return () => navigating && reloadAt(host.target())
}
