import { createRouter } from '@tanstack/react-router'
import { localeRewrite } from './routing/locale-rewrite.ts'
import { parseSearch, stringifySearch } from './routing/search.ts'
import { routeTree } from './routeTree.gen.ts'
import { ErrorPage } from './screens/errors/error-page.tsx'
import { NotFoundPage } from './screens/errors/not-found-page.tsx'
import { PagePending } from './ui/page-pending.tsx'

/** Router of the portal; the files under `routes/` define its addresses. */
export const router = createRouter({
  routeTree,
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
}
