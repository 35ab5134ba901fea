import type { MetricScope, MetricSubject } from '@custodia/contract'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { SearchOf } from '../components/lists/call-search.ts'
import { asWritten, dashboard, screen, useReference } from './layouts.tsx'

type DeviceTab = 'recordings' | 'threads' | 'commands' | 'logs' | 'gps' | 'telemetry' | 'reports'

/** Home, and pages of devices and device users. */
export const fleetRoutes = [
  createRoute({
    getParentRoute: () => dashboard,
    path: '/',
    staticData: { ahead: async () => (await import('../api/queries.ts')).askForDashboard() },
    component: lazyRouteComponent(() => import('../screens/dashboard/dashboard.tsx'), 'DashboardScreen'),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices',
    validateSearch: asWritten<
      SearchOf<'listDevices'> & { reference?: string; tab?: DeviceTab | 'map' | 'enrolments' | 'capture' }
    >,
    component: lazyRouteComponent(() => import('../screens/devices/devices.tsx'), 'Devices'),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/$device_reference',
    validateSearch: asWritten<SearchOf<'listPayloadsOfDevice'> & { tab?: DeviceTab }>,
    remountDeps: ({ params }) => params,
    component: screen(
      () => import('../screens/devices/device-page.tsx'),
      'DevicePage',
      () => ({ reference: useReference() }),
    ),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/$device_reference/gps',
    validateSearch: asWritten<{ from?: string; to?: string; map?: 'streets' }>,
    remountDeps: ({ params }) => params,
    component: screen(
      () => import('../screens/devices/device-page.tsx'),
      'DevicePage',
      () => ({ reference: useReference(), isGps: true }),
    ),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/logs',
    validateSearch: asWritten<SearchOf<'listDeviceLogs'>>,
    component: lazyRouteComponent(() => import('../screens/device-logs/log-lists.tsx'), 'DeviceLogs'),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/completeness',
    component: lazyRouteComponent(() => import('../screens/capture/completeness.tsx')),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/metrics',
    validateSearch: asWritten<SearchOf<'listMetrics'> & { scope?: MetricScope; by?: MetricSubject | 'each' }>,
    component: lazyRouteComponent(() => import('../screens/metrics/metrics.tsx'), 'Metrics'),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/users',
    validateSearch: asWritten<SearchOf<'listDeviceUsers'>>,
    component: lazyRouteComponent(() => import('../screens/device-users/users-list.tsx'), 'UsersList'),
  }),
  createRoute({
    getParentRoute: () => dashboard,
    path: 'devices/users/$device_user_reference',
    validateSearch: asWritten<
      Omit<SearchOf<'listPayloadsOfUser'>, 'edit'> & {
        tab?: 'recordings' | 'logs' | 'capture' | 'gps'
        edit?: true
      }
    >,
    remountDeps: ({ params }) => params,
    component: screen(
      () => import('../screens/device-users/user-page.tsx'),
      'UserPage',
      () => ({ reference: useReference() }),
    ),
  }),
] as const
