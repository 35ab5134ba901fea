import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { SearchOf } from '../components/lists/call-search.ts'
import type { OverviewSearch } from '../screens/clients/clients-tab.tsx'
import type { LicensesSearch } from '../screens/licenses/licenses-screen.tsx'
import type { SupportSearch } from '../screens/support-access/support-screen.tsx'
import { asWritten, internal } from './layouts.tsx'

/** Pages of the provider's staff. */
export const internalRoutes = [
  createRoute({
    getParentRoute: () => internal,
    path: '/',
    validateSearch: asWritten<OverviewSearch>,
    component: lazyRouteComponent(() => import('../screens/clients/overview-screen.tsx'), 'OverviewScreen'),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'alerts',
    validateSearch: asWritten<SearchOf<'listAlertsOfClients'>>,
    component: lazyRouteComponent(() => import('../screens/alerts/client-alerts.tsx'), 'ClientAlerts'),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'carriers',
    component: lazyRouteComponent(() => import('../screens/carriers/carriers-screen.tsx'), 'CarriersScreen'),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'licenses',
    validateSearch: asWritten<LicensesSearch>,
    component: lazyRouteComponent(() => import('../screens/licenses/licenses-screen.tsx'), 'LicensesScreen'),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'statistics',
    validateSearch: asWritten<SearchOf<'listTelemetryOfClients'> & { tab?: 'telemetry' }>,
    component: lazyRouteComponent(
      () => import('../screens/statistics/statistics-screen.tsx'),
      'StatisticsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'support',
    validateSearch: asWritten<SupportSearch>,
    component: lazyRouteComponent(
      () => import('../screens/support-access/support-screen.tsx'),
      'SupportScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => internal,
    path: 'support/$client/$request_reference',
    component: lazyRouteComponent(
      () => import('../screens/support-access/session-page.tsx'),
      'SupportSessionOfClientPage',
    ),
  }),
] as const
