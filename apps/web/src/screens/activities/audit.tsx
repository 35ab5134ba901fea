import type { DeviceActivity, PortalActivity } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { lazy, useMemo } from 'react'
import { api } from '../../api/api.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { PageTabs } from '../../ui/page-tabs.tsx'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { deviceColumns, userColumns } from './activity-columns.ts'
import { sharedFilters } from './activity-filters.ts'
import { deviceAuditQuery, DeviceAuditSearch, userAuditQuery, UserAuditSearch } from './audit-search.ts'

const Preview = lazy(() => import('./activity-preview.tsx'))

/** Who watches the log sees what happens within this time, in milliseconds. */
const NEWS_EVERY_MS = 15_000

/** Asked again and again while the portal is open. */
const OWN_POLLS = ['activities:list', 'alerts.summary:read']

const shared = {
  title: msg`Audit`,
  icon: 'history',
  dates: [{ value: 'activity_time', label: msg`Time` }],
  noMatch: msg`No entries match`,
  newsEveryMs: NEWS_EVERY_MS,
  Preview,
  isCsvWhole: true,
} as const

type UserQuery = ReturnType<typeof userAuditQuery>
const users: ListDefinition<PortalActivity, UserQuery> = {
  ...shared,
  name: 'activities',
  call: 'listActivities',
  permission: 'activities:list',
  columns: userColumns,
  filters: [
    ...sharedFilters('people'),
    { kind: 'text', name: 'users', label: msg`Users`, placeholder: msg`Names, separated by commas` },
    { kind: 'text', name: 'reference', label: msg`Support reference` },
    { kind: 'flag', name: 'changes', label: msg`Changes only` },
    { kind: 'flag', name: 'support', label: msg`Support only` },
    { kind: 'flag', name: 'apps', label: msg`Client apps only` },
  ],
  views: [
    { name: 'changes', label: msg`Changes`, search: { changes: true } },
    { name: 'denied', label: msg`Denied or failed`, search: { outcome: 'denied' } },
    { name: 'support', label: msg`Support`, search: { support: true } },
    {
      name: 'content',
      label: msg`Played and downloaded`,
      search: { actions: ['payloads:play', 'payloads:download'] },
    },
  ],
  empty: {
    title: msg`Nothing logged yet`,
    description: msg`Everything that portal users, client apps and support staff do will stand here. Nobody can change or remove it.`,
  },
  keyOf: ({ log_id }) => log_id,
  queryOf: userAuditQuery,
  ...listPages((query, signal) => api.listActivities({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/account/audit', search: UserAuditSearch.parse(search) }),
  csvAlways: [{ label: msg`Log entry`, value: ({ log_id }) => log_id }],
}

type DeviceQuery = ReturnType<typeof deviceAuditQuery>
const devices: ListDefinition<DeviceActivity, DeviceQuery> = {
  ...shared,
  name: 'device-activities',
  call: 'listDeviceActivities',
  permission: 'device_activities:list',
  columns: deviceColumns,
  filters: [
    ...sharedFilters('devices'),
    { kind: 'text', name: 'device', label: msg`Device`, placeholder: msg`Reference of the device` },
    { kind: 'text', name: 'user', label: msg`Device user`, placeholder: msg`Reference of the device user` },
  ],
  views: [{ name: 'denied', label: msg`Denied or failed`, search: { outcome: 'denied' } }],
  empty: {
    title: msg`Nothing logged yet`,
    description: msg`Every call of an activated phone will stand here. Nobody can change or remove it.`,
  },
  keyOf: ({ log_id }) => log_id,
  queryOf: deviceAuditQuery,
  ...listPages((query, signal) => api.listDeviceActivities({ query }, { signal })),
  address: (search) =>
    linkOptions({
      to: '/dashboard/account/audit',
      search: { tab: 'devices', ...DeviceAuditSearch.parse(search) },
    }),
  csvAlways: [{ label: msg`Log entry`, value: ({ log_id }) => log_id }],
}

const route = getRouteApi('/dashboard/account/audit')

/** `/dashboard/account/audit`: what people did, and with `?tab=devices` what phones did. */
export function Audit() {
  const search = route.useSearch()
  const hasDevices = useMay()('device_activities:list')
  const isDevices = search.tab === 'devices'
  return (
    <PageTabs
      label={msg`Whose log`}
      tabs={
        hasDevices
          ? [
              { label: msg`Portal users`, isShown: !isDevices, to: '/dashboard/account/audit', search: {} },
              {
                label: msg`Devices`,
                isShown: isDevices,
                to: '/dashboard/account/audit',
                search: { tab: 'devices' },
              },
            ]
          : []
      }
    >
      {isDevices ? (
        <ListPage key="devices" list={devices} search={DeviceAuditSearch.parse(search)} />
      ) : (
        <UserAudit />
      )}
    </PageTabs>
  )
}

function UserAudit() {
  const search = route.useSearch()
  const { user_reference } = useProfile()
  const list = useMemo(
    // What this page and the bell ask by themselves is logged as well: it must not announce itself as news.
    () => ({
      ...users,
      isNews: ({ user_id, action }: PortalActivity) =>
        user_id !== user_reference || !OWN_POLLS.includes(action),
    }),
    [user_reference],
  )
  return <ListPage key="users" list={list} search={UserAuditSearch.parse(search)} />
}
