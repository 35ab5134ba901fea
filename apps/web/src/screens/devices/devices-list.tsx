import { type Device, DeviceReference, SILENT_DAYS, WAITING_COUNT_LIMIT } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { devicesApi } from '../../api/devices-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { HELD_FILTER } from '../../components/cells.tsx'
import { deviceAt } from '../../components/devices/device-at.ts'
import { DeviceStateBadge, SilenceBadge, WaitingBadge } from '../../components/devices/device-badges.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { personName } from '../../components/names.tsx'
import { GROUP_FILTER } from '../../components/record-filters.ts'
import { DEVICE_PROOF_WORDS, DEVICE_STATE_WORDS, SILENCE_WORDS } from '../../components/words/device-words.ts'
import { SERVICE_WORDS, serviceNames } from '../../components/words/service-words.ts'
import { eitherFilter, SpecWord, wordFilter } from '../../components/words/spec-word.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { DecideButtons } from './decide-buttons.tsx'

const HoldersFile = lazy(() => import('./holders-file.tsx'))

/** Opens the file of devices to confirm, for permitted users. */
function HoldersFileButton() {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  if (!may('devices.holder:decide') || !may('devices.holder:review')) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="upload" size={16} />} onClick={() => setOpen(true)}>
        <Trans>Confirm from a file</Trans>
      </Button>
      <Suspense>{isOpen && <HoldersFile onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}

const SendCommand = lazy(async () => ({ default: (await import('./device-buttons.tsx')).SendCommand }))
const DeactivateSet = lazy(() => import('./deactivate-set.tsx'))
const HoldSetButton = lazy(() => withTexts('lazy', import('../legal-holds/hold-set-button.tsx')))

const column = getColumns<Device>()

/** Holder, or that the device has none. */
const getHolder = (row: Device) => personName(row) || row.device_user_reference

const devices = defineList({
  name: 'devices',
  call: 'listDevices',
  api: devicesApi,
  to: '/dashboard/devices',
  key: DeviceReference,
  title: msg`Devices`,
  icon: 'device',
  columns: [
    column.drawn('holder', msg`Device user`, HolderCell, (row) => row.device_user_reference, {
      width: 150,
      grow: 1.6,
      stacked: 'lead',
      sort: 'holder',
    }),
    column.drawn('state', msg`State`, StateCell, (row) => row.device_state, {
      width: 124,
      stacked: 'end',
    }),
    column.drawn('silence', msg`Silence`, ({ row }) => <SilenceBadge silence={row.silence} />, {
      width: 200,
      grow: 0.5,
      stacked: 'end',
      hasValue: ({ silence }) => silence !== null,
    }),
    column.moment('last_seen', msg`Last seen`, { stacked: 'line', none: msg`Never`, sort: '-last_seen' }),
    column.drawn(
      'waits',
      msg`Pending because`,
      ({ row }) => <WaitingBadge device={row} />,
      (row) => row.waiting_reason,
      { width: 214, stacked: 'line', hasValue: ({ waiting_since }) => waiting_since !== null },
    ),
    column.text(
      'asks',
      msg`Reported holder`,
      (row) => row.requested_user_name ?? row.requested_user_reference,
      {
        width: 140,
        grow: 1,
        csv: [{ label: msg`Reported holder`, value: (row) => row.requested_user_reference }],
      },
    ),
    column.moment('waiting_since', msg`Pending since`),
    column.drawn(
      'brought',
      msg`Uploaded while pending`,
      ({ row }) => <WaitingUploads count={row.waiting_payloads} />,
      (row) => row.waiting_payloads,
      { width: 160, align: 'end', hasValue: ({ waiting_payloads }) => waiting_payloads !== null },
    ),
    column.moment('last_payload_at', msg`Last recording`, { isOptional: true, none: msg`None` }),
    column.group('group', msg`Group`, { width: 110, grow: 1 }),
    column.text('model', msg`Model`, { width: 130, grow: 1, stacked: 'line', sort: 'model' }),
    column.text('app_version', msg`App version`, { width: 100, sort: 'app_version' }),
    column.text('os_version', msg`OS version`, { width: 100, sort: 'os_version' }),
    column.text('numbers', msg`Numbers`, (row) => getNumbers(row).join(', '), { width: 140, grow: 1 }),
    column.mark('legacy', msg`Legacy`, (row) => row.is_legacy, {
      width: 100,
      word: msg`Legacy`,
      icon: 'archive',
      color: 'indigo',
    }),
    column.mark('held', msg`Legal hold`, (row) => row.is_held === true, {
      width: 136,
      word: msg({ context: 'legally', message: 'On hold' }),
      icon: 'lock',
      color: 'grape',
    }),
    column.reference('reference', msg`Reference`, (row) => row.device_reference, { width: 104 }),
    column.drawn('services', msg`Services`, ServicesCell, (row) => row.services.join('; '), {
      width: 160,
      grow: 1,
      isOptional: true,
    }),
    column.text('serial_number', msg`Serial number`, { width: 130, isOptional: true }),
    column.texts('imeis', msg`IMEI`, { width: 150, isOptional: true, none: msg`None` }),
    column.word('proof', msg`Proof`, DEVICE_PROOF_WORDS, (row) => row.proof, {
      width: 110,
      isOptional: true,
    }),
    column.moment('activated_at', msg({ context: 'device', message: 'Activated' }), { isOptional: true }),
  ],
  filters: [
    {
      name: 'search',
      kind: 'search',
      label: msg`Search`,
      placeholder: msg`Person, model, number or IMEI`,
      hint: msg`Try the start of a name, model, serial number or IMEI, or the last four digits of a number.`,
    },
    GROUP_FILTER,
    wordFilter('states', msg`State`, DEVICE_STATE_WORDS),
    wordFilter('silences', msg`Silence`, SILENCE_WORDS),
    wordFilter(
      'silent_days',
      msg`Silent since`,
      { 1: msg`1 day or more`, 3: msg`3 days or more`, 7: msg`7 days or more`, 30: msg`30 days or more` },
      { values: SILENT_DAYS, isSingle: true },
    ),
    wordFilter(
      'seen_days',
      msg`Seen within`,
      { 1: msg`1 day`, 3: msg`3 days`, 7: msg`7 days`, 30: msg`30 days` },
      { values: SILENT_DAYS, isRare: true, isSingle: true },
    ),
    wordFilter('services', msg`Service`, SERVICE_WORDS, { isRare: true }),
    { name: 'number', kind: 'text', label: msg`Current or previous number` },
    eitherFilter(
      'is_waiting',
      msg`Confirmation`,
      { true: msg`Pending`, false: msg`Not pending` },
      { isRare: true },
    ),
    wordFilter('proofs', msg`Proof`, DEVICE_PROOF_WORDS, { isRare: true }),
    { name: 'app_version', kind: 'text', label: msg`App version` },
    { name: 'os_version', kind: 'text', label: msg`OS version` },
    eitherFilter(
      'is_legacy',
      msg`Origin`,
      { true: msg`From the legacy platform`, false: msg`Of this platform` },
      { isRare: true },
    ),
    HELD_FILTER,
  ],
  views: [
    {
      name: 'waiting',
      label: msg`Waiting`,
      search: { is_waiting: true },
      empty: {
        title: msg`No devices awaiting confirmation`,
        description: msg`Phones appear here until they are confirmed or rejected.`,
      },
    },
    { name: 'silent', label: msg`Silent`, search: { silences: ['silent', 'long_silent'] } },
    { name: 'alive', label: msg`Online, no recordings`, search: { silences: ['silent_but_alive'] } },
    { name: 'blocked', label: msg`Lost or stolen`, search: { states: ['blocked'] } },
  ],
  noMatch: msg`No devices match`,
  empty: {
    title: msg`No devices yet`,
    description: msg`Phones appear here after their first authentication.`,
  },
  getKey: (row) => row.device_reference,
  rowTitle: (row) => getHolder(row) ?? row.device_reference,
  detail: (row) => deviceAt(row.device_reference),
  primaryAction: <HoldersFileButton />,
  Preview: lazy(async () => ({ default: (await import('./device-facts.tsx')).DevicePreview })),
  actsOnMatching: 'first',
  BulkActions: (props) => (
    <Suspense>
      <DecideAboutMany {...props} />
      <SendCommand {...props} size="xs" />
      <DeactivateSet {...props} />
      <HoldSetButton {...props} rows="devices" />
    </Suspense>
  ),
})

/** Pending devices. */
function DecideAboutMany({ keys, matching, onDone }: BulkProps) {
  const { is_waiting } = useSearch({ strict: false }) as { is_waiting?: boolean }
  if (!is_waiting) return null
  const rows = keys.map((device_reference) => ({ device_reference }))
  return <DecideButtons rows={rows} matching={matching} onDone={onDone} />
}

/** Devices in the viewer's groups. */
export const DevicesList = () => <ListPage list={devices} />

const getNumbers = ({ phone_numbers, legacy_phone_number }: Device): string[] => [
  ...phone_numbers.map(({ phone_number }) => phone_number),
  ...(legacy_phone_number === null ? [] : [legacy_phone_number]),
]

/** The usual state is quiet, and hidden in narrow rows, so that the others stand out. */
function StateCell({ row: { device_state } }: { row: Device }) {
  return device_state === 'activated' ? (
    <Text span inherit c="dimmed" data-wide-only>
      <SpecWord value={device_state} words={DEVICE_STATE_WORDS} />
    </Text>
  ) : (
    <DeviceStateBadge state={device_state} />
  )
}

function HolderCell({ row }: { row: Device }) {
  const { t } = useLingui()
  const holder = getHolder(row)
  return holder === null ? <span>{t`None`}</span> : <strong title={visible(holder)}>{visible(holder)}</strong>
}

function WaitingUploads({ count }: { count: number | null }) {
  const { i18n } = useLingui()
  if (count === null) return null
  return count > WAITING_COUNT_LIMIT ? `> ${i18n.number(WAITING_COUNT_LIMIT)}` : i18n.number(count)
}

function ServicesCell({ row: { services } }: { row: Device }) {
  const { i18n } = useLingui()
  const words = serviceNames(services, i18n)
  return <span title={words}>{words}</span>
}
