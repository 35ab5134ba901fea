import type { AnyRouter } from '@tanstack/react-router'
import { profileQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import { mayPerhaps } from '../api/remembered-actions.ts'
import { actionOf } from './navigation.ts'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Asks the server for what the page shows first; the page itself finds the answer, or asks again. `search` as the address has it. */
    ahead?: (asked: { params: Readonly<Record<string, string>>; search: object }) => Promise<void>
  }
}

/**
 * Lets the profile, the scripts of the page at this address and its first data leave together. Which data somebody may see the last
 * profile of this session tells; without one, as after a sign-in, the page asks once its profile is there.
 */
export function askAhead(router: AnyRouter): void {
  void queryClient.prefetchQuery(profileQuery)
  for (const { routeId, params, search } of router.matchRoutes(router.latestLocation)) {
    const route = router.routesById[routeId]
    void router.loadRouteChunk(route)
    const action = actionOf(route.fullPath)
    if (action !== undefined && mayPerhaps(action)) void route.options.staticData?.ahead?.({ params, search })
  }
}
