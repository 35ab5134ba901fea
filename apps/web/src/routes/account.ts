import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { lazy } from 'react'
import type { SearchOf } from '../components/lists/call-search.ts'
import { withTexts } from '../i18n/i18n.ts'
import { read } from '../routing/search.ts'
import { asWritten, page } from './layouts.tsx'

/** Pages of a client's access and account. */
export const accountRoutes = [
  createRoute({
    ...page('access/groups'),
    validateSearch: asWritten<SearchOf<'listGroups'>>,
    component: lazyRouteComponent(() => import('../screens/groups/groups-list.tsx'), 'GroupsList'),
  }),
  createRoute({
    ...page('access/people'),
    validateSearch: asWritten<SearchOf<'listPeople'> & { claims?: true }>,
    component: lazyRouteComponent(() => import('../screens/people/people-list.tsx'), 'PeopleList'),
  }),
  createRoute({
    ...page('access/recertifications'),
    validateSearch: asWritten<SearchOf<'listRecertifications'> & { recertification?: string }>,
    component: lazy(() => withTexts('lazy', import('../screens/recertifications/recertifications-list.tsx'))),
  }),
  createRoute({
    ...page('access/roles'),
    validateSearch: asWritten<SearchOf<'listRoles'>>,
    component: lazyRouteComponent(() => import('../screens/roles/roles-list.tsx'), 'RolesList'),
  }),
  createRoute({
    ...page('access/roles/create'),
    validateSearch: ({ from }: Record<string, unknown>): { from?: string | undefined } => ({
      from: read.text(from),
    }),
    component: lazyRouteComponent(() => import('../screens/roles/role-page.tsx'), 'CreateRole'),
  }),
  createRoute({
    ...page('access/roles/$role_reference'),
    component: lazyRouteComponent(() => import('../screens/roles/role-page.tsx'), 'EditRole'),
  }),
  createRoute({
    ...page('access/tags'),
    validateSearch: asWritten<SearchOf<'listTags'>>,
    component: lazyRouteComponent(() => import('../screens/tags/tags-list.tsx'), 'TagsList'),
  }),
  createRoute({
    ...page('account/alert-mails'),
    component: lazy(() => withTexts('account', import('../screens/alert-mails/alert-mails.tsx'))),
  }),
  createRoute({
    ...page('account/alerts'),
    validateSearch: asWritten<SearchOf<'listAlerts'>>,
    beforeLoad: ({ search }): void => {
      // The plain address shows open alerts.
      if (Object.keys(search).length > 0) return
      throw redirect({
        to: '/dashboard/account/alerts',
        search: { view: 'open', states: ['Triggered'], is_dismissed: false, is_folded: true },
        replace: true,
      })
    },
    component: lazyRouteComponent(() => import('../screens/alerts/alerts.tsx'), 'Alerts'),
  }),
  createRoute({
    ...page('account/apps'),
    validateSearch: asWritten<SearchOf<'listClientApps'>>,
    component: lazyRouteComponent(
      () => withTexts('account', import('../screens/client-apps/apps-list.tsx')),
      'AppsList',
    ),
  }),
  createRoute({
    ...page('account/audit'),
    validateSearch: asWritten<
      SearchOf<'listActivities'> &
        SearchOf<'listDeviceActivities'> & {
          tab?: 'users' | 'devices'
          changes?: true
          background?: true
          entries?: true
        }
    >,
    component: lazyRouteComponent(() => import('../screens/activities/audit.tsx'), 'Audit'),
  }),
  createRoute({
    ...page('account/audit/sealed'),
    component: lazy(() => withTexts('account', import('../screens/sealed-log/sealed-log.tsx'))),
  }),
  createRoute({
    ...page('account/audit/integrity'),
    component: lazy(() => withTexts('account', import('../screens/sealed-log/integrity-checks.tsx'))),
  }),
  createRoute({
    ...page('account/licenses'),
    component: lazyRouteComponent(() => import('../screens/licenses/licenses.tsx'), 'Licenses'),
  }),
  createRoute({
    ...page('account/migrations'),
    validateSearch: asWritten<SearchOf<'listMigrations'> & { tab?: 'settings' | 'files' }>,
    component: lazy(() => withTexts('account', import('../screens/migrations/migrations.tsx'))),
  }),
  createRoute({
    ...page('account/migrations/$migration_reference'),
    validateSearch: asWritten<SearchOf<'listMigrationResults'> & { tab?: 'results' | 'sign_off' }>,
    component: lazy(() => withTexts('account', import('../screens/migrations/run-page.tsx'))),
  }),
  createRoute({
    ...page('account/settings'),
    component: lazy(() => withTexts('lazy', import('../screens/settings/settings-page.tsx'))),
  }),
  createRoute({
    ...page('account/support-access'),
    validateSearch: asWritten<SearchOf<'listSupportAccess'>>,
    component: lazyRouteComponent(
      () => import('../screens/support-access/support-access.tsx'),
      'SupportAccess',
    ),
  }),
  createRoute({
    ...page('account/support-access/$request_reference'),
    component: lazyRouteComponent(
      () => import('../screens/support-access/session-page.tsx'),
      'SupportSessionPage',
    ),
  }),
  createRoute({
    ...page('account/transfers'),
    validateSearch: asWritten<
      SearchOf<'listTransfers'> &
        SearchOf<'listTransferConfigs'> &
        SearchOf<'listTransferReconciliations'> & { tab?: 'configs' | 'days' }
    >,
    component: lazy(() => withTexts('account', import('../screens/transfers/transfers.tsx'))),
  }),
  createRoute({
    ...page('account/transfers/config'),
    validateSearch: ({ reference }: Record<string, unknown>): { reference?: string | undefined } => ({
      reference: read.text(reference),
    }),
    component: lazy(() => withTexts('account', import('../screens/transfers/config-page.tsx'))),
  }),
  createRoute({
    ...page('account/transfers/$transfer_id'),
    component: lazy(() => withTexts('account', import('../screens/transfers/run-page.tsx'))),
  }),
  createRoute({
    ...page('account/webhooks'),
    component: lazy(() => withTexts('account', import('../screens/webhooks/webhooks.tsx'))),
  }),
] as const
