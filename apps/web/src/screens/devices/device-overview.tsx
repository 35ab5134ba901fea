import { type Device, WAITING_COUNT_LIMIT } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { historyQuery, numbersQuery } from '../../api/devices-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { isWaiting } from '../../components/devices/device-badges.tsx'
import { DeviceName, PersonName } from '../../components/devices/links.tsx'
import { NumberTimeline } from '../../components/devices/numbers.tsx'
import { GroupName } from '../../components/names.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { DecideButtons } from './decide-buttons.tsx'
import { DeviceFacts } from './device-facts.tsx'

/** Holders of a device, newest first. */
function DeviceHistory({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <Section title={<Trans>Holders over time</Trans>}>
      <QueryResult query={useQuery(historyQuery(reference))} rows={3}>
        {({ history }) =>
          history.length === 0 ? (
            <Text c="dimmed">
              <Trans>No holders yet.</Trans>
            </Text>
          ) : (
            <DataTable
              caption={t`Holders over time`}
              rows={history}
              getKey={({ from }) => String(from)}
              columns={[
                {
                  label: t`Device user`,
                  cell: ({ device_user_reference, person_name, group }) =>
                    group === null ? (
                      <Text c="dimmed" span>
                        <Trans>Outside your groups</Trans>
                      </Text>
                    ) : device_user_reference === null ? (
                      t`None`
                    ) : (
                      <PersonName {...{ device_user_reference, person_name }} />
                    ),
                },
                { label: t`Group`, cell: ({ group }) => <GroupName group={group} /> },
                { label: t`From`, cell: ({ from }) => <Time at={from} /> },
                { label: t`Until`, cell: ({ to }) => (to === null ? t`Now` : <Time at={to} />) },
              ]}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

/** Notice on a pending device: reason, uploads while pending, and decision. Hidden for others. */
function WaitingNotice({ device }: { device: Device }) {
  const { t } = useLingui()
  const { waiting_since, device_reference, requested_user_reference } = device
  if (waiting_since === null) return null
  const waits = isWaiting(device)
  return (
    <Paper p="md" mb="lg">
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap">
          <Icon name={waits ? 'clock' : 'lock'} />
          <Title order={2} size="h4">
            {waits ? t`This device awaits confirmation` : t`The holder of this device was rejected`}
          </Title>
        </Group>
        <Text size="sm">
          <FailureReason device={device} />
        </Text>
        <Text size="sm">
          <Trans>
            Pending since <Time at={waiting_since} />; uploaded since then: <WaitingUploads device={device} />
            . Only users with access to all groups see these recordings.
          </Trans>
        </Text>
        {waits ? (
          <Group gap="xs">
            <DecideButtons
              rows={[{ device_reference }]}
              asked={requested_user_reference}
              isOne
              onDone={() => undefined}
            />
          </Group>
        ) : (
          <Text size="sm">
            <Trans>It is refused while blocked. After unblocking, you can decide again.</Trans>
          </Text>
        )}
      </Stack>
    </Paper>
  )
}

function FailureReason({ device }: { device: Device }) {
  const { waiting_reason, same_hardware_as, requested_user_reference } = device
  const other = same_hardware_as !== null && (
    <DeviceName device_reference={same_hardware_as} device_name={device.same_hardware_name} />
  )
  const asked = requested_user_reference !== null && (
    <PersonName device_user_reference={requested_user_reference} person_name={device.requested_user_name} />
  )
  if (waiting_reason === 'other_key')
    return (
      <Trans>
        It reports the serial number or IMEI of device {other}, but has another key: the phone was reset, its
        app reinstalled, or it is imitated.
      </Trans>
    )
  if (waiting_reason === 'unconfirmed')
    return (
      <>
        <Trans>The device is new, and no code names its holder.</Trans>{' '}
        {asked && <Trans>It uses the email address of {asked}.</Trans>}{' '}
        {other && <Trans>It reports the serial number or IMEI of device {other}.</Trans>}
      </>
    )
  if (waiting_reason === 'beyond_expected')
    return <Trans>It reports {asked} as its holder, who already has all expected phones.</Trans>
  return other ? (
    <Trans>
      It reports the numbers of device {other}, which has no key, and {asked} as its new holder.
    </Trans>
  ) : (
    <Trans>It reports {asked} as its new holder. It had another one before.</Trans>
  )
}

function WaitingUploads({ device: { waiting_payloads } }: { device: Device }) {
  const count = waiting_payloads ?? 0
  return count > WAITING_COUNT_LIMIT ? (
    <Trans>more than {WAITING_COUNT_LIMIT} recordings</Trans>
  ) : (
    <Plural value={count} _0="no recordings" one="# recording" other="# recordings" />
  )
}

const DeviceNumbers = ({ reference }: { reference: string }) => (
  <NumberTimeline query={useQuery(numbersQuery(reference))} of="device" />
)

/** Facts, holders and numbers of a device. */
export default function DeviceOverview({ device, head }: { device: Device; head: ReactNode }) {
  const may = useMay()
  return (
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
              <DeviceHistory reference={device.device_reference} />
            </Paper>
          )}
          {may('devices.numbers:read') && (
            <Paper p="md">
              <DeviceNumbers reference={device.device_reference} />
            </Paper>
          )}
        </Stack>
      </SimpleGrid>
    </>
  )
}
