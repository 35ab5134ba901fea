import { type Device, DEVICE_TABS, hasOwnPage } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Box, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { deviceQuery } from '../../api/devices-api.ts'
import { HeldBadge } from '../../components/cells.tsx'
import { deviceAt, gpsOfDevice } from '../../components/devices/device-at.ts'
import { DeviceStateBadge, SilenceBadge, WaitingBadge } from '../../components/devices/device-badges.tsx'
import { GroupName, personName } from '../../components/names.tsx'
import { listTab, RecordPage, RecordTabs } from '../../components/record-page.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'

const Buttons = lazy(() => import('./device-buttons.tsx'))
const Acts = lazy(async () => ({ default: (await import('./device-buttons.tsx')).DeviceActs }))
const Overview = lazy(() => import('./device-overview.tsx'))
const Recordings = listTab(async () => (await import('../payloads/payloads-of.ts')).payloadsOfDevice)
const Threads = listTab(async () => (await withTexts('lazy', import('./device-threads.tsx'))).threadsOfDevice)
const Commands = lazy(async () => ({ default: (await import('./command-pages.tsx')).CommandsOfDevice }))
const Logs = listTab(async () => (await import('../device-logs/log-lists.tsx')).logsOfDevice)
const Track = lazy(async () => ({ default: (await import('../positions/track-view.tsx')).TrackView }))
const Telemetry = lazy(() => import('../telemetry/device-telemetry.tsx'))
const Reports = listTab(async () => (await import('../telemetry/telemetry-lists.tsx')).telemetryOfDevice)

/** `/dashboard/devices/{device_reference}`: facts and holders of a device; `?tab=` shows recordings, commands and others. */
export function DevicePage({ reference, isGps = false }: { reference: string; isGps?: boolean }) {
  const { t } = useLingui()
  return (
    <RecordPage
      query={useQuery(deviceQuery(reference))}
      title={t`Device`}
      back={{ to: '/dashboard/devices' }}
      backLabel={t`All devices`}
    >
      {(device) => <DeviceTabs device={device} isGps={isGps} />}
    </RecordPage>
  )
}

function DeviceTabs({ device, isGps }: { device: Device; isGps: boolean }) {
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const reference = device.device_reference
  const head = <Head device={device} />
  const list = { reference, head }
  return (
    <RecordTabs
      label={msg`Device`}
      at={deviceAt(reference)}
      shown={isGps ? 'gps' : tab}
      head={head}
      overview={<Overview device={device} head={head} />}
      tabs={[
        {
          tab: 'recordings',
          label: msg`Recordings`,
          action: DEVICE_TABS.recordings,
          page: <Recordings {...list} />,
        },
        {
          tab: 'threads',
          label: msg`Conversations`,
          action: DEVICE_TABS.threads,
          page: <Threads {...list} />,
        },
        {
          tab: 'commands',
          label: msg`Commands`,
          action: DEVICE_TABS.commands,
          page: <Commands {...list} />,
        },
        { tab: 'logs', label: msg`Logs`, action: DEVICE_TABS.logs, page: <Logs {...list} /> },
        {
          tab: 'gps',
          label: msg`Positions`,
          action: DEVICE_TABS.gps,
          ...(hasOwnPage(reference) && { at: gpsOfDevice(reference) }),
          page: (
            <Track
              whose={{ device_reference: reference }}
              holder={device}
              name={`gps-${reference}`}
              head={head}
            />
          ),
        },
        {
          tab: 'telemetry',
          label: msg`Telemetry`,
          action: DEVICE_TABS.telemetry,
          page: <Telemetry {...list} />,
        },
        {
          tab: 'reports',
          label: msg`Reports`,
          action: DEVICE_TABS.reports,
          page: <Reports {...list} />,
        },
      ]}
    />
  )
}

function Head({ device }: { device: Device }) {
  const { t } = useLingui()
  const { device_reference, model, group } = device
  return (
    <PageHeader
      title={visible(personName(device) || model || device_reference)}
      aside={
        <Group gap="xs">
          <DeviceStateBadge state={device.device_state} />
          <SilenceBadge silence={device.silence} />
          <WaitingBadge device={device} />
          <HeldBadge is_held={device.is_held} />
        </Group>
      }
      description={
        <Group gap="4px 16px">
          <span>{model ?? t`Device`}</span>
          <GroupName group={group} />
          <Reference value={device_reference} length={24} />
        </Group>
      }
      actions={
        // Reserved height: content below does not move. The menu's code comes with the actions.
        <Suspense fallback={<Box h={36} />}>
          <Buttons device={device} />
          <Acts device={device} />
        </Suspense>
      }
    />
  )
}
