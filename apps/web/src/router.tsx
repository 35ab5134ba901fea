import { createRouter, type LocationRewrite } from '@tanstack/react-router'
import { localePrefix } from './i18n/i18n.ts'
import { splitLocale } from './i18n/locale.ts'
import { accountRoutes } from './routes/account.ts'
import { fleetRoutes } from './routes/fleet.ts'
import { governanceRoutes } from './routes/governance.ts'
import { internalRoutes } from './routes/internal.ts'
import { dashboard, internal, root } from './routes/layouts.tsx'
import { publicRoutes } from './routes/public.ts'
import { recordingRoutes } from './routes/recordings.ts'
import { parseSearch, stringifySearch } from './routing/search.ts'
import { ErrorPage, NotFoundPage } from './screens/errors/error-page.tsx'
import { PagePending } from './ui/page-pending.tsx'

/** Routes have no language; addresses keep their prefix. */
const localeRewrite: LocationRewrite = {
  input: ({ url }) => {
    url.pathname = splitLocale(url.pathname).path
    return url
  },
  output: ({ url }) => {
    const prefix = localePrefix()
    if (prefix !== undefined) url.pathname = url.pathname === '/' ? `/${prefix}` : `/${prefix}${url.pathname}`
    return url
  },
}

/** Router of the portal; the files under `routes/` define its addresses. */
export const router = createRouter({
  routeTree: root.addChildren([
    ...publicRoutes,
    dashboard.addChildren([...fleetRoutes, ...recordingRoutes, ...governanceRoutes, ...accountRoutes]),
    internal.addChildren(internalRoutes),
  ]),
  rewrite: localeRewrite,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 400,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface HistoryState {
    /** The entry before this one is the list that the user opened it from. */
    isFromList?: boolean
    /** The user chose the page by its name. */
    isChosen?: boolean
  }
}
