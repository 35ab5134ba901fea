import type { AnyRouter } from '@tanstack/react-router'
import { partRules } from './load-part.ts'

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

/** Poll interval of the build id (spec section 9): one hour, in milliseconds. */
export const BUILD_CHECK_MS = 3_600_000

/** Dependencies on router and browser, injected so that tests use a fake clock. */
export interface ReloadHost {
  /** Target address of a navigation, with search and language prefix. */
  target: () => string
  /** Runs `listener` before each navigation; `pathChanged` is false when only search parameters change. */
  onBeforeNavigate: (listener: (pathChanged: boolean) => void) => void
  /** Runs `listener` after a navigation. */
  onResolved: (listener: () => void) => void
  /** Whether a form of the page holds unsaved input. */
  holdsInput: () => boolean
  /** Current build id of the server; undefined when unknown. */
  offeredBuild: () => Promise<string | undefined>
  load: (address: string) => void
  every: (milliseconds: number, task: () => void) => void
  storage: () => Storage
  now: () => number
}

const getPath = (address: string): string => address.split(/[?#]/, 1)[0] ?? address

/**
 * Reloads at the target path on a chunk error or new build, at most once per path within 10 s (spec section 4). A new
 * build waits for a change of path, so that it does not disturb typing or listening. Returns the handler of parts that
 * do not load: true when a reload is under way. After a lost connection only a reload repeats the import.
 */
export function watchForReload(host: ReloadHost, runningBuild: string): (wasLost: boolean) => boolean {
  let navigating = false
  let outdated = false
  const reloadAt = (address: string): boolean => {
    if (!claimReload(getPath(address), host.storage, host.now())) return false
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
  return (wasLost) => (navigating || (wasLost && !host.holdsInput())) && reloadAt(host.target())
}

/** Reads the server's build id; undefined for an unexpected answer. */
async function offeredBuild(): Promise<string | undefined> {
  try {
    const answer: unknown = await (await fetch('/version.json', { cache: 'no-store' })).json()
    const build =
      typeof answer === 'object' && answer !== null && 'build' in answer ? answer.build : undefined
    return typeof build === 'string' ? build : undefined
  } catch {
    return undefined
  }
}

function load(address: string): void {
  const here = location.pathname + location.search + location.hash
  if (address === here) location.reload()
  else location.assign(address)
}

/** Connects the reload rules to router and browser. The development server has no build id. */
export function startReloadWatch(router: AnyRouter, holdsInput: () => boolean): void {
  const build = document.querySelector<HTMLMetaElement>('meta[name="build-id"]')?.content ?? ''
  if (build === '' || build.startsWith('__')) return
  const chunkFailed = watchForReload(
    {
      target: () => router.latestLocation.publicHref,
      onBeforeNavigate: (listener) =>
        router.subscribe('onBeforeNavigate', (event) => listener(event.pathChanged)),
      onResolved: (listener) => router.subscribe('onResolved', listener),
      holdsInput,
      offeredBuild,
      load,
      every: (milliseconds, task) => setInterval(task, milliseconds),
      storage: () => sessionStorage,
      now: Date.now,
    },
    build,
  )
  partRules.reload = (error, wasLost) => {
    // The router reloads by itself once per message; marking the message as handled leaves the decision to this
    // module.
    try {
      sessionStorage.setItem(`tanstack_router_reload:${error instanceof Error ? error.message : ''}`, '1')
    } catch {
      // Without storage the claim is refused, and the error page shows.
    }
    return chunkFailed(wasLost)
  }
}
