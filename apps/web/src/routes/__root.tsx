import { createRootRoute, Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { session } from '../api/current-session.ts'
import { NotFoundPage } from '../screens/errors/error-page.tsx'
import { RouteAnnouncer } from '../shell/route-announcer.tsx'
import { PagePending } from '../ui/page-pending.tsx'

const NotFoundInShell = lazy(async () => (await import('../shell/not-found-in-shell.tsx')).loadNotFound())

export const Route = createRootRoute({
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
