import type { AnyRouter } from '@tanstack/react-router'
import { mayPerhaps } from '../api/kept-session.ts'
import { profileQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { getAction } from './navigation.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Prefetches a page's first data; the page uses the cached answer or retries. `search` as in the address. */
    ahead?: (asked: { params: Readonly<Record<string, string>>; search: object }) => Promise<void>
  }
}

/** Milliseconds to wait for first data before the page shows a skeleton; applied twice. */
const PATIENCE_MS = 400
let firstData: Promise<unknown> | undefined

/** Resolves with the prefetched data, or after a timeout. */
export async function firstDataOrLate(): Promise<void> {
  await Promise.race([firstData, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
  firstData = undefined
}

/**
 * Loads profile, page scripts and first data in parallel. The stored actions decide which data to request; without
 * them the page waits for its profile.
 */
export function prefetchRoute(router: AnyRouter): void {
  void queryClient.prefetchQuery(profileQuery)
  const asked: Promise<void>[] = []
  for (const { routeId, params, search } of router.matchRoutes(router.latestLocation)) {
    const route = router.routesById[routeId]
    void router.loadRouteChunk(route)
    const action = getAction(route.fullPath)
    const ahead = action !== undefined && mayPerhaps(action) ? route.options.staticData?.ahead : undefined
    if (ahead) asked.push(ahead({ params, search }))
  }
  if (asked.length > 0) firstData = Promise.allSettled(asked)
}
