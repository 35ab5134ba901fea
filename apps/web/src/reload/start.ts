import type { AnyRouter } from '@tanstack/react-router'
import { watchForReload } from './watch.ts'

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
export function startReloadWatch(router: AnyRouter): void {
  const build = document.querySelector<HTMLMetaElement>('meta[name="build-id"]')?.content ?? ''
  if (build === '' || build.startsWith('__')) return
  const chunkFailed = watchForReload(
    {
      target: () => router.latestLocation.publicHref,
      onBeforeNavigate: (listener) =>
        router.subscribe('onBeforeNavigate', (event) => listener(event.pathChanged)),
      onResolved: (listener) => router.subscribe('onResolved', listener),
      offeredBuild,
      load,
      every: (milliseconds, task) => setInterval(task, milliseconds),
      storage: () => sessionStorage,
      now: Date.now,
    },
    build,
  )
  addEventListener('vite:preloadError', (event) => {
    // The router reloads by itself once per message; marking the message as handled leaves the decision to this
    // module.
    try {
      sessionStorage.setItem(`tanstack_router_reload:${event.payload.message}`, '1')
    } catch {
      // Without storage the claim is refused, and the error page shows.
    }
    if (chunkFailed()) event.preventDefault()
  })
}
