import { type CaptureGap, type DeviceUser, type GapReason, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { Marked } from '../../components/cells.tsx'
import { ownerColumns } from '../../components/devices/owners.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { SERVICE_WORDS, serviceNames } from '../../components/words/service-words.ts'
import { type Words, wordFilter, eitherFilter } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'

const GAP_REASON_WORDS: Words<GapReason> = {
  no_device: msg`No phone`,
  unlicensed: msg`No licence`,
  silent: msg`Phone silent`,
  service_off: msg`Switched off on the phone`,
  not_allowed: msg`Not permitted on the phone`,
  no_device_admin: msg`No device admin`,
  no_sim: msg`No SIM`,
  no_uploads: msg`Online, but uploads nothing`,
}

const column = getColumns<CaptureGap>()

const owner = ownerColumns<CaptureGap>()
const person = { ...owner.user, stacked: 'lead' } as const
const columns = [
  column.drawn(
    'services',
    msg`Services`,
    ServicesCell,
    ({ service, services = [service] }) => services.join('; '),
    { width: 160, grow: 1 },
  ),
  column.drawn('reason', msg`Reason`, ReasonCell, { width: 190, grow: 1, stacked: 'line' }),
  column.moment('from_at', msg`From`, { stacked: 'line', time: 'from_at' }),
  column.drawn('to_at', msg({ context: 'end of a time', message: 'Until' }), UntilCell, {
    width: 158,
    stacked: 'end',
  }),
  owner.device,
]
const group = column.text('group', msg`Group`, { width: 110, grow: 0.6 })

const filters = [
  eitherFilter('is_open', msg`Gaps`, { true: msg`Ongoing gaps`, false: msg`Ended gaps` }),
  wordFilter('services', msg`Service`, SERVICE_WORDS),
  wordFilter('reasons', msg`Reason`, GAP_REASON_WORDS),
] as const

const shared = {
  key: text(1, 20),
  title: msg`Capture gaps`,
  icon: 'shield-alert',
  dates: [{ value: 'from_at', label: msg`Time` }],
  views: [{ name: 'open', label: msg`Ongoing`, search: { is_open: true } }],
  noMatch: msg`No gaps match`,
  refine: () => ({ is_folded: true }),
  getKey: (row: CaptureGap) => String(row.gap_id),
  rowTitle: (row: CaptureGap) => row.person_name ?? row.device_user_reference,
} as const

/** Capture gaps of all device users. */
const gaps = defineList({
  ...shared,
  name: 'gaps',
  call: 'listCaptureGaps',
  api: fleetApi,
  to: '/dashboard/devices',
  part: { tab: 'capture' },
  columns: [person, ...columns, group],
  filters: [...filters, GROUP_FILTER, DEVICE_USER_FILTER],
  detail: ({ device_user_reference }) => personAt(device_user_reference),
  empty: {
    title: msg`No gaps`,
    description: msg`Services that a phone does not record appear here, with the reason.`,
  },
})

/** Capture gaps of one device user, as a tab of their page. */
const gapsOfUser = (device_user_reference: string) =>
  defineList({
    ...shared,
    name: `gaps of person ${device_user_reference}`,
    kind: 'gaps-of-person',
    call: 'listCaptureGapsOfUser',
    api: fleetApi,
    path: { device_user_reference },
    to: '/dashboard/devices/users/$device_user_reference',
    params: { device_user_reference },
    part: { tab: 'capture' },
    columns,
    filters,
    empty: {
      title: msg`No gaps`,
      description: msg`Services that this person’s phone does not record appear here, with the reason.`,
    },
  })

const personAt = (device_user_reference: string) =>
  ({
    to: '/dashboard/devices/users/$device_user_reference',
    params: { device_user_reference },
    search: { tab: 'capture' },
  }) as const

function ServicesCell({ row: { service, services = [service] } }: { row: CaptureGap }) {
  const { i18n } = useLingui()
  const words = serviceNames(services, i18n)
  return <span title={words}>{words}</span>
}

function ReasonCell({ row }: { row: CaptureGap }) {
  const { i18n } = useLingui()
  return (
    <Marked icon="warning" tone={row.to_at === null ? 'bad' : 'plain'} title={row.reason}>
      {i18n._(GAP_REASON_WORDS[row.reason])}
    </Marked>
  )
}

function UntilCell({ row }: { row: CaptureGap }) {
  return row.to_at === null ? (
    <strong>
      <Trans>Ongoing</Trans>
    </strong>
  ) : (
    <Time at={row.to_at} />
  )
}

/** `/dashboard/devices?tab=capture`: capture gaps of all device users. */
export const Capture = () => <ListPage list={gaps} />

/** Capture gaps of one person, below the current state. */
export function CaptureOfUser({ user, head }: { user: DeviceUser; head: ReactNode }) {
  const list = useMemo(() => gapsOfUser(user.device_user_reference), [user.device_user_reference])
  return (
    <ListPage
      list={list}
      head={
        <>
          {head}
          <CaptureNow user={user} />
        </>
      }
    />
  )
}

/** Services of a device user: captured now, or the reason why not. */
function CaptureNow({ user }: { user: DeviceUser }) {
  const { i18n } = useLingui()
  const { device_user_reference } = user
  const { data } = useQuery(
    callQuery(fleetApi, 'listCaptureGapsOfUser', {
      params: { device_user_reference },
      query: { is_open: true },
    }),
  )
  const open = new Map(data?.data.map((gap) => [gap.service, gap.reason]) ?? [])
  const ordered = user.is_active ? user.services : []
  if (ordered.length === 0)
    return (
      <Text size="sm" mb="md">
        <Trans>No recorded services.</Trans>
      </Text>
    )
  return (
    <Group gap="xs" mb="md" style={{ visibility: data ? undefined : 'hidden' }}>
      {ordered.map((service) => {
        const reason = open.get(service)
        return (
          <Badge
            key={service}
            color={reason ? 'red' : 'gray'}
            leftSection={<Icon name={reason ? 'warning' : 'check'} size={13} />}
          >
            {i18n._(SERVICE_WORDS[service])}
            {reason && `: ${i18n._(GAP_REASON_WORDS[reason])}`}
          </Badge>
        )
      })}
    </Group>
  )
}
