import { createRootRoute, Outlet } from '@tanstack/react-router'
import { RouteAnnouncer } from '../shell/route-announcer.tsx'

export const Route = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <RouteAnnouncer />
    </>
  ),
})
