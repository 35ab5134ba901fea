import type { MetricScope, MetricSubject } from '@custodia/contract'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { SearchOf } from '../components/lists/call-search.ts'
import { asWritten, page, screen, useReference } from './layouts.tsx'

type DeviceTab = 'recordings' | 'threads' | 'commands' | 'logs' | 'gps' | 'telemetry' | 'reports'

/** Home, and pages of devices and device users. */
export const fleetRoutes = [
  createRoute({
    ...page('/'),
    staticData: {
      ahead: async () => {
        void import('../screens/dashboard/home-counts.ts').then(({ askForHome }) => askForHome())
        await (await import('../api/queries.ts')).askForDashboard()
      },
    },
    component: lazyRouteComponent(() => import('../screens/dashboard/dashboard.tsx'), 'DashboardScreen'),
  }),
  createRoute({
    ...page('devices'),
    validateSearch: asWritten<
      SearchOf<'listDevices'> & { reference?: string; tab?: DeviceTab | 'map' | 'enrolments' | 'capture' }
    >,
    component: lazyRouteComponent(() => import('../screens/devices/devices.tsx'), 'Devices'),
  }),
  createRoute({
    ...page('devices/$device_reference'),
    validateSearch: asWritten<SearchOf<'listPayloadsOfDevice'> & { tab?: DeviceTab }>,
    remountDeps: ({ params }) => params,
    component: screen(
      () => import('../screens/devices/device-page.tsx'),
      'DevicePage',
      () => ({ reference: useReference() }),
    ),
  }),
  createRoute({
    ...page('devices/$device_reference/gps'),
    validateSearch: asWritten<{ from?: string; to?: string; map?: 'streets' }>,
    remountDeps: ({ params }) => params,
    component: screen(
      () => import('../screens/devices/device-page.tsx'),
      'DevicePage',
      () => ({ reference: useReference(), isGps: true }),
    ),
  }),
  createRoute({
    ...page('devices/logs'),
    validateSearch: asWritten<SearchOf<'listDeviceLogs'>>,
    component: lazyRouteComponent(() => import('../screens/device-logs/log-lists.tsx'), 'DeviceLogs'),
  }),
  createRoute({
    ...page('devices/completeness'),
    component: lazyRouteComponent(() => import('../screens/capture/completeness.tsx')),
  }),
  createRoute({
    ...page('devices/metrics'),
    validateSearch: asWritten<SearchOf<'listMetrics'> & { scope?: MetricScope; by?: MetricSubject | 'each' }>,
    component: lazyRouteComponent(() => import('../screens/metrics/metrics.tsx'), 'Metrics'),
  }),
  createRoute({
    ...page('devices/users'),
    validateSearch: asWritten<SearchOf<'listDeviceUsers'>>,
    component: lazyRouteComponent(() => import('../screens/device-users/users-list.tsx'), 'UsersList'),
  }),
  createRoute({
    ...page('devices/users/$device_user_reference'),
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
