import { type DeviceUser, DeviceUserReference } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { devicesApi } from '../../api/devices-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { HELD_FILTER } from '../../components/cells.tsx'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { GROUP_FILTER } from '../../components/record-filters.ts'
import { SERVICE_WORDS, serviceNames } from '../../components/words/service-words.ts'
import { wordFilter, eitherFilter } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { fullName } from './user.tsx'

const UserSet = lazy(() => import('./user-set.tsx'))
const ImportDialog = lazy(() => import('./import-dialog.tsx'))

/** Opens the file import, for permitted users. */
function ImportButton() {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  if (!may('users:import') || !may('users:review')) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Import</Trans>
      </Button>
      <Suspense>{isOpen && <ImportDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

const column = getColumns<DeviceUser>()

const users = defineList({
  name: 'device-users',
  call: 'listDeviceUsers',
  api: devicesApi,
  to: '/dashboard/devices/users',
  key: DeviceUserReference,
  title: msg`Device users`,
  icon: 'group',
  columns: [
    column.name('name', msg`Name`, fullName, { width: 150, grow: 1.6, sort: 'name' }),
    column.text('reference', msg`Reference`, (row) => row.device_user_reference, {
      width: 100,
      grow: 0.6,
    }),
    column.text('email', msg`Email`, { width: 200, grow: 2, stacked: 'line', sort: 'email' }),
    column.text('group', msg`Group`, { width: 110, grow: 1, sort: 'group' }),
    column.drawn('services', msg`Services`, ServicesCell, (row) => row.services.join('; '), {
      width: 150,
      grow: 1.6,
    }),
    column.drawn('devices', msg`Devices`, DevicesCell, (row) => row.actual_device_count, {
      width: 100,
      align: 'end',
      stacked: 'end',
      csv: [
        { label: msg`Devices`, value: (row) => row.actual_device_count },
        { label: msg`Expected devices`, value: (row) => row.expected_device_count },
      ],
    }),
    column.mark('offboarded', msg({ context: 'person', message: 'Offboarded' }), (row) => !row.is_active, {
      width: 124,
      word: msg({ context: 'person', message: 'Offboarded' }),
      icon: 'sign-out',
      color: 'gray',
    }),
    column.mark('held', msg`Legal hold`, (row) => row.is_held === true, {
      width: 136,
      word: msg({ context: 'legally', message: 'On hold' }),
      icon: 'lock',
      color: 'grape',
    }),
    column.moment('onboarded_at', msg`Onboarded at`, (row) => row.onboard_date, {
      sort: '-onboard_date',
      isOptional: true,
    }),
    column.moment('offboarded_at', msg`Offboarded at`, (row) => row.offboard_date, { isOptional: true }),
    ...savedColumns<DeviceUser>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name, reference or email` },
    GROUP_FILTER,
    wordFilter('services', msg`Service`, SERVICE_WORDS),
    eitherFilter('is_active', msg`State`, {
      true: msg({ context: 'person', message: 'Onboarded' }),
      false: msg({ context: 'person', message: 'Offboarded' }),
    }),
    wordFilter(
      'devices',
      msg`Devices`,
      { fewer: msg`Fewer than expected`, as_expected: msg`As expected`, more: msg`More than expected` },
      { isSingle: true },
    ),
    eitherFilter('is_legacy', msg`Origin`, {
      true: msg`From the legacy platform`,
      false: msg`Of this platform`,
    }),
    HELD_FILTER,
  ],
  noMatch: msg`No device users match`,
  empty: {
    title: msg`No device users yet`,
    description: msg`Device users are people whose phones are recorded. Each has a group and recorded services.`,
  },
  isUnchanged: true,
  getKey: (row) => row.device_user_reference,
  rowTitle: fullName,
  detail: ({ device_user_reference }) => ({
    to: '/dashboard/devices/users/$device_user_reference',
    params: { device_user_reference },
  }),
  Preview: lazy(async () => ({ default: (await import('./user-facts.tsx')).UserPreview })),
  actsOnMatching: 'first',
  BulkActions: (props) => (
    <Suspense>
      <UserSet {...props} />
    </Suspense>
  ),
  records: {
    Drawer: lazy(() => import('./user-drawer.tsx')),
    create: { label: msg`Add device user`, action: 'users:create' },
    isOnlyCreated: true,
  },
})

const withImport = {
  ...users,
  primaryAction: (
    <>
      <ImportButton />
      {users.primaryAction}
    </>
  ),
}

/** `/dashboard/devices/users`: device users in the viewer's groups. */
export const UsersList = () => <ListPage list={withImport} />

function ServicesCell({ row: { services } }: { row: DeviceUser }) {
  const { i18n } = useLingui()
  const words = serviceNames(services, i18n)
  return <span title={words}>{words}</span>
}

/** 'actual / expected'. */
function DevicesCell({ row }: { row: DeviceUser }) {
  const { i18n, t } = useLingui()
  const actual = i18n.number(row.actual_device_count)
  const expected = i18n.number(row.expected_device_count)
  return (
    <span title={t`${actual} of ${expected} expected`}>
      <span data-narrow-only>{t`Devices`} </span>
      {`${actual} / ${expected}`}
    </span>
  )
}
