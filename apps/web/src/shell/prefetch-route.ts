import type { AnyRouter } from '@tanstack/react-router'
import { profileQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { mayPerhaps } from '../api/stored-actions.ts'
import { actionOf } from './navigation.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Asks the server for what the page shows first; the page itself finds the answer, or asks again. `search` as the address has it. */
    ahead?: (asked: { params: Readonly<Record<string, string>>; search: object }) => Promise<void>
  }
}

/** For so long a page waits for its first data rather than draw first that it waits, and then once more; in milliseconds. */
const PATIENCE_MS = 400
let firstData: Promise<unknown> | undefined

/** Resolves with the data that was asked for ahead of the first page, or when that takes long. */
export async function firstDataOrLate(): Promise<void> {
  await Promise.race([firstData, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))])
  firstData = undefined
}

/**
 * Lets the profile, the scripts of the page at this address and its first data leave together. Which data somebody may see the last
 * profile of this session tells; without one, as after a sign-in, the page asks once its profile is there.
 */
export function prefetchRoute(router: AnyRouter): void {
  void queryClient.prefetchQuery(profileQuery)
  const asked: Promise<void>[] = []
  for (const { routeId, params, search } of router.matchRoutes(router.latestLocation)) {
    const route = router.routesById[routeId]
    void router.loadRouteChunk(route)
    const action = actionOf(route.fullPath)
    const ahead = action !== undefined && mayPerhaps(action) ? route.options.staticData?.ahead : undefined
    if (ahead) asked.push(ahead({ params, search }))
  }
  if (asked.length > 0) firstData = Promise.allSettled(asked)
}
