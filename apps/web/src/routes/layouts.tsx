import {
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Outlet,
  redirect,
  useParams,
} from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { session } from '../api/current-session.ts'
import { storeDestination } from '../api/sign-in-memory.ts'
import { NotFoundPage } from '../screens/errors/error-page.tsx'
import { RouteAnnouncer } from '../shell/route-announcer.tsx'
import { PagePending } from '../ui/page-pending.tsx'

const NotFoundInShell = lazy(async () => (await import('../shell/not-found-in-shell.tsx')).loadNotFound())

/** The route of all pages. */
export const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <RouteAnnouncer />
    </>
  ),
  notFoundComponent: () =>
    session.isSignedIn() ? (
      <Suspense fallback={<PagePending />}>
        <NotFoundInShell />
      </Suspense>
    ) : (
      <NotFoundPage />
    ),
})

const inside = () => import('../shell/inside.ts')

/** Guards auth (spec section 2). */
function requireSession({
  location: { href },
  preload,
}: {
  location: { href: string }
  preload: boolean
}): void {
  if (session.isSignedIn()) return
  // A link under the pointer is no page that the user opened.
  if (!preload) storeDestination(href, null)
  throw redirect({ to: '/sign-in' })
}

/** Layout of a client's pages. Its guards load outside the public pages' chunks. */
export const dashboard = createRoute({
  getParentRoute: () => root,
  path: 'dashboard',
  beforeLoad: async ({ location, preload }): Promise<void> => {
    requireSession({ location, preload })
    const { requireTerms } = await inside()
    await requireTerms(location)
  },
  component: lazyRouteComponent(inside, 'DashboardLayout'),
  pendingComponent: lazyRouteComponent(inside, 'ShellPending'),
})

/** Begins a page of a client: its address. */
export const page = <const Path extends string>(path: Path) => ({ getParentRoute: () => dashboard, path })

/** Layout of the provider's pages. Without accepted terms the server answers nothing here. */
export const internal = createRoute({
  getParentRoute: () => root,
  path: 'internal',
  beforeLoad: async ({ location, preload }): Promise<void> => {
    requireSession({ location, preload })
    const { requireProvider, requireTerms } = await inside()
    await requireProvider()
    await requireTerms(location)
  },
  component: lazyRouteComponent(() => import('../shell/internal-layout.tsx'), 'InternalLayout'),
  pendingComponent: lazyRouteComponent(inside, 'ShellPending'),
})

/** The search of an address as it is: the screen parses it, and its schema stays out of the first load. */
export const asWritten = <Search,>(search: Record<string, unknown>): Search => search as Search

type PropsOf<Screen> = Screen extends (props: infer Props extends object) => unknown ? Props : never

/** A screen that loads with its route and takes properties from the address. */
export function screen<Module extends Record<Name, unknown>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
  useProps: () => PropsOf<Module[Name]>,
) {
  const Screen: AsyncRouteComponent<object> = lazyRouteComponent(load, name)
  const Page: AsyncRouteComponent<object> = () => <Screen {...useProps()} />
  Page.preload = async () => {
    await Screen.preload?.()
    // Without anything to load, the router shows no placeholder: on a slow machine it replaced the next recording, whose
    // facts were there, and lost keys.
    delete Page.preload
  }
  return Page
}

/** The reference in the address of one record. */
export const useReference = (): string => {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false })
  return Object.values(params).find((value) => value !== undefined) ?? ''
}
