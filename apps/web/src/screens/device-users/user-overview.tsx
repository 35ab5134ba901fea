import { type DeviceUser, isUsable } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { allPages } from '../../api/all-pages.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { devicesApi } from '../../api/devices-api.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { DeviceStateBadge } from '../../components/devices/device-badges.tsx'
import { DeviceLink } from '../../components/devices/links.tsx'
import { NumberTimeline } from '../../components/devices/numbers.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { EnrolledDevices, RevokeButton } from '../enrolments/enrolled-devices.tsx'
import { EnrolmentStateBadge } from '../enrolments/enrolment.tsx'
import { DeviceQueue } from './device-queue.tsx'
import { UserFacts } from './user-facts.tsx'

/** A person's devices, and the expected number. */
function UserDevices({ user }: { user: DeviceUser }) {
  const { t } = useLingui()
  const { device_user_reference, actual_device_count, expected_device_count } = user
  const devices = useQuery({
    queryKey: getKey('listDevicesOfUser', device_user_reference),
    queryFn: ({ signal }) =>
      allPages((query) =>
        devicesApi.listDevicesOfUser({ params: { device_user_reference }, query }, { signal }),
      ),
  })
  return (
    <Section title={<Trans>Devices</Trans>}>
      {user.is_active && actual_device_count !== expected_device_count && (
        <Alert color="orange" icon={<Icon name="warning" />} mb="sm" p="sm">
          <Plural value={expected_device_count} one="# phone is expected" other="# phones are expected" />,{' '}
          <Plural value={actual_device_count} one="# is activated." other="# are activated." />
        </Alert>
      )}
      <QueryResult query={devices} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">
              <Trans>No phone has authenticated with this person’s email yet.</Trans>
            </Text>
          ) : (
            <DataTable
              caption={t`Devices`}
              rows={rows}
              getKey={(device) => device.device_reference}
              columns={[
                {
                  label: t`Device`,
                  cell: ({ device_reference, model }) => (
                    <DeviceLink device_reference={device_reference}>{model ?? device_reference}</DeviceLink>
                  ),
                },
                { label: t`State`, cell: ({ device_state }) => <DeviceStateBadge state={device_state} /> },
                {
                  label: t`Last seen`,
                  cell: ({ last_seen }) => (last_seen === null ? t`Never` : <Time at={last_seen} />),
                },
              ]}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

/** Maximum enrolments shown; the list has all. */
const SHOWN = 5

/** Enrolments for a person's phones, newest first, with the enrolled device. */
function UserEnrolments({ user: { device_user_reference } }: { user: DeviceUser }) {
  const { t } = useLingui()
  const enrolments = useQuery({
    queryKey: getKey('listEnrolments', device_user_reference),
    queryFn: async ({ signal }) => {
      const page = await fleetApi.listEnrolments(
        { query: { device_user_reference, limit: SHOWN } },
        { signal },
      )
      return page.data
    },
  })
  return (
    <Section title={<Trans>Enrolments</Trans>}>
      <QueryResult query={enrolments} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">
              <Trans>No enrolled phones yet.</Trans>
            </Text>
          ) : (
            <DataTable
              caption={t`Enrolments`}
              rows={rows}
              getKey={({ enrolment_reference }) => enrolment_reference}
              columns={[
                { label: t`State`, width: '7.5rem', cell: (row) => <EnrolmentStateBadge enrolment={row} /> },
                {
                  label: t`Created`,
                  cell: ({ created_at, description, ...enrolment }) => (
                    <Stack gap={0}>
                      <span>
                        <Time at={created_at} /> · {authorName(enrolment, 'created_by')}
                      </span>
                      {description !== null && <span>{visible(description)}</span>}
                    </Stack>
                  ),
                },
                {
                  label: t`Phone`,
                  cell: (row) =>
                    isUsable(row) ? (
                      <Trans>
                        Valid until <Time at={row.expires_at} />
                      </Trans>
                    ) : (
                      <EnrolledDevices enrolment={row} />
                    ),
                },
              ]}
              actions={
                rows.some(isUsable) ? (row) => isUsable(row) && <RevokeButton enrolment={row} /> : undefined
              }
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

/** Facts, devices and numbers of a device user. */
export default function UserOverview({ user, head }: { user: DeviceUser; head: ReactNode }) {
  const may = useMay()
  const { device_user_reference } = user
  return (
    <>
      {head}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper p="md">
          <Stack gap="lg">
            <UserFacts user={user} isPart />
          </Stack>
        </Paper>
        <Stack gap="lg">
          {may('users.devices:list') && (
            <Paper p="md">
              <Stack>
                <UserDevices user={user} />
                {!user.is_active && may('users.queue:read') && (
                  <DeviceQueue device_user_reference={device_user_reference} />
                )}
                {may('devices.enrolments:list') && <UserEnrolments user={user} />}
              </Stack>
            </Paper>
          )}
          {may('users.numbers:read') && (
            <Paper p="md">
              <UserNumbers device_user_reference={device_user_reference} />
            </Paper>
          )}
        </Stack>
      </SimpleGrid>
    </>
  )
}

/** Number history of a person, with devices. */
function UserNumbers({ device_user_reference }: { device_user_reference: string }) {
  const numbers = useQuery(callQuery(devicesApi, 'readNumbersOfUser', { params: { device_user_reference } }))
  return <NumberTimeline query={numbers} of="user" />
}
