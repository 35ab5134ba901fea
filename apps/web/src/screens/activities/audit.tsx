import { text } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Group, Switch } from '@mantine/core'
import { getRouteApi, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { flag } from '../../components/lists/list-search.ts'
import { personPicker } from '../../components/pickers.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER } from '../../components/record-filters.ts'
import { LinkAnchor } from '../../ui/links.tsx'
import { PageTabs } from '../../ui/page-header.tsx'
import { RECORDING_FILTER } from '../payloads/recording-name.ts'
import { codes, deviceColumns, sharedFilters, userColumns } from './activity-columns.ts'
import { changesOnly } from './log-entries.ts'

/** Poll interval of the log, in milliseconds. */
const NEWS_EVERY_MS = 15_000

/** `background` includes automatic calls of portals and devices. Selected actions have priority. */
const withoutBackground = (search: { background?: true; actions?: readonly string[] }) =>
  search.background === true || search.actions !== undefined ? {} : { is_background: false }

const shared = {
  to: '/dashboard/account/audit',
  key: text(1, 64),
  title: msg`Audit`,
  icon: 'history',
  dates: [{ value: 'activity_time', label: msg`Time` }],
  noMatch: msg`No entries match`,
  newsEveryMs: NEWS_EVERY_MS,
  rowTitle: (_row: unknown, i18n: { _: (word: MessageDescriptor) => string }) => i18n._(msg`Log entry`),
  Preview: lazy(() => import('./activity-preview.tsx')),
  isCsvWhole: true,
  csvAlways: codes,
  isTall: 'stacked',
} as const

const users = defineList({
  ...shared,
  name: 'activities',
  call: 'listActivities',
  api,
  own: { changes: flag, background: flag, entries: flag },
  refine: (search) => ({
    ...withoutBackground(search),
    ...(search.entries ? {} : { is_folded: true }),
    ...changesOnly(search),
  }),
  refineFile: changesOnly,
  primaryAction: <HeaderActions />,
  columns: userColumns,
  filters: [
    { kind: 'pick', name: 'users', label: msg`Who`, picker: personPicker, isFirst: true },
    RECORDING_FILTER,
    ...sharedFilters('people'),
    { kind: 'text', name: 'support_reference', label: msg`Support reference` },
    { kind: 'flag', name: 'changes', label: msg`Changes only` },
    { kind: 'flag', name: 'is_support', label: msg`Support only` },
    { kind: 'flag', name: 'is_client_app', label: msg`Client apps only` },
    { kind: 'flag', name: 'entries', label: msg`Single entries` },
  ],
  views: [
    { name: 'changes', label: msg`Changes`, search: { changes: true } },
    { name: 'denied', label: msg`Denied or failed`, search: { is_allowed: false } },
    { name: 'support', label: msg`Support`, search: { is_support: true } },
    {
      name: 'content',
      label: msg`Played and downloaded`,
      search: { actions: ['payloads:play', 'payloads:download'] },
    },
  ],
  empty: {
    title: msg`Nothing logged yet`,
    description: msg`All actions of portal users, client apps and support staff appear here. They cannot be changed or removed.`,
  },
  getKey: ({ log_id }) => log_id,
})

const devices = defineList({
  ...shared,
  name: 'device-activities',
  call: 'listDeviceActivities',
  api,
  part: { tab: 'devices' },
  own: { background: flag },
  refine: withoutBackground,
  refineFile: () => ({}),
  primaryAction: <HeaderActions />,
  columns: deviceColumns,
  filters: [
    { ...DEVICE_USER_FILTER, isFirst: true },
    { ...DEVICE_FILTER, isFirst: true },
    ...sharedFilters('devices'),
  ],
  views: [{ name: 'denied', label: msg`Denied or failed`, search: { is_allowed: false } }],
  empty: {
    title: msg`Nothing logged yet`,
    description: msg`All calls of activated phones appear here. They cannot be changed or removed.`,
  },
  getKey: ({ log_id }) => log_id,
})

const route = getRouteApi('/dashboard/account/audit')

/** `/dashboard/account/audit`: the people's log; `?tab=devices` shows the devices' log. */
export function Audit() {
  const hasDevices = useMay()('device_activities:list')
  const isDevices = route.useSearch().tab === 'devices'
  return (
    <PageTabs
      label={msg`Log type`}
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
      {isDevices ? <ListPage key="devices" list={devices} /> : <ListPage key="users" list={users} />}
    </PageTabs>
  )
}

/** The sealed log, the integrity checks, and the switch for background calls. */
function HeaderActions() {
  return (
    <Group>
      <LinkAnchor size="sm" to="/dashboard/account/audit/sealed">
        <Trans>Sealed log</Trans>
      </LinkAnchor>
      <LinkAnchor size="sm" to="/dashboard/account/audit/integrity">
        <Trans>Integrity checks</Trans>
      </LinkAnchor>
      <BackgroundSwitch />
    </Group>
  )
}

/** Shows the calls that portals and phones make on their own; the log hides them otherwise. */
function BackgroundSwitch() {
  const navigate = useNavigate()
  const search: { background?: unknown } = useSearch({ strict: false })
  const isShown = search.background === true || search.background === 'true'
  return (
    <Switch
      checked={isShown}
      onChange={() =>
        void navigate({
          to: '.',
          search: ((before: object) => ({ ...before, background: isShown ? undefined : true })) as never,
          resetScroll: false,
        })
      }
      label={<Trans>Include system activity</Trans>}
    />
  )
}
