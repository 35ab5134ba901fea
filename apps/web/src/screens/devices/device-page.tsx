import type { Device } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Paper, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { deviceAt } from '../../components/devices/device-at.ts'
import { DeviceStateBadge } from '../../components/devices/device-state.tsx'
import { logsOfDevice } from '../../components/devices/log-lists.ts'
import { WaitingBadge } from '../../components/devices/waiting-badge.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { payloadsOfDevice } from '../../components/payloads/payloads-of.ts'
import { personName } from '../../components/person-name.ts'
import { RecordPage } from '../../components/record-page.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { CommandsOfDevice } from './command-pages.tsx'
import { DeviceActs } from './device-acts.tsx'
import { DeviceFacts } from './device-facts.tsx'
import { DeviceHistory } from './device-history.tsx'
import { DeviceNumbers } from './device-numbers.tsx'
import { deviceQuery } from './device-query.ts'
import { threadsOfDevice } from './device-threads.tsx'
import SendCommand from './send-command.tsx'
import { WaitingNotice } from './waiting-notice.tsx'

/** `/dashboard/devices/{device_reference}`: what is known of a device, who held it when; with `?tab=` what it recorded, and what it was told. */
export function DevicePage({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <RecordPage
      query={useQuery(deviceQuery(reference))}
      title={t`Device`}
      back={{ to: '/dashboard/devices' }}
      backLabel={t`To the devices`}
      notFound={<Trans>There is no device {reference}, or your roles and groups do not reach it.</Trans>}
    >
      {(device) => <Shown device={device} />}
    </RecordPage>
  )
}

function Shown({ device }: { device: Device }) {
  const may = useMay()
  const { t } = useLingui()
  const { tab } = useSearch({ strict: false }) as { tab?: string }
  const { device_reference } = device
  const recordings = useMemo(() => payloadsOfDevice(device_reference), [device_reference])
  const threads = useMemo(() => threadsOfDevice(device_reference), [device_reference])
  const logs = useMemo(() => logsOfDevice(device_reference), [device_reference])
  const { search, ...place } = deviceAt(device_reference)
  const lists = [
    ...(may('devices.payloads:list') ? [{ tab: 'recordings', label: msg`Recordings` }] : []),
    ...(may('devices.sms:list') ? [{ tab: 'threads', label: msg`Conversations` }] : []),
    ...(may('devices.commands:list') ? [{ tab: 'commands', label: msg`Commands` }] : []),
    ...(may('devices.logs:list') ? [{ tab: 'logs', label: msg`Logs` }] : []),
  ]
  const shown = lists.find((each) => each.tab === tab)?.tab
  const head = (
    <PageHeader
      title={visible(personName(device) || device.model || device_reference)}
      aside={
        <Group gap="xs">
          <DeviceStateBadge state={device.device_state} />
          <WaitingBadge device={device} />
        </Group>
      }
      description={
        <Group gap="4px 16px">
          <span>{device.model ?? t`Device`}</span>
          <span>{device.group}</span>
          <Reference value={device_reference} length={28} />
        </Group>
      }
      actions={
        <>
          <SendCommand keys={[device_reference]} />
          <DeviceActs device={device} />
        </>
      }
    />
  )
  return (
    <PageTabs
      label={msg`Device`}
      tabs={(lists.length === 0 ? [] : [{ tab: undefined, label: msg`Overview` }, ...lists]).map((each) => ({
        ...place,
        search: { ...(search as object), ...(each.tab && { tab: each.tab }) } as never,
        label: each.label,
        isShown: shown === each.tab,
      }))}
    >
      {shown === 'recordings' ? (
        <ListPage list={recordings} head={head} />
      ) : shown === 'threads' ? (
        <ListPage list={threads} head={head} />
      ) : shown === 'logs' ? (
        <ListPage list={logs} head={head} />
      ) : shown === 'commands' ? (
        <CommandsOfDevice device_reference={device_reference} head={head} />
      ) : (
        <>
          {head}
          <WaitingNotice device={device} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            <Paper p="md">
              <Stack gap="lg">
                <DeviceFacts device={device} isPart />
              </Stack>
            </Paper>
            <Stack gap="lg">
              {may('devices.history:read') && (
                <Paper p="md">
                  <DeviceHistory reference={device_reference} />
                </Paper>
              )}
              {may('devices.numbers:read') && (
                <Paper p="md">
                  <DeviceNumbers reference={device_reference} />
                </Paper>
              )}
            </Stack>
          </SimpleGrid>
        </>
      )}
    </PageTabs>
  )
}
