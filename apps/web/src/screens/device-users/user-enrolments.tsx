import type { DeviceUser } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { EnrolledDevices } from '../enrolments/enrolled-devices.tsx'
import { EnrolmentStateBadge } from '../enrolments/enrolment-state.tsx'
import { RevokeButton } from '../enrolments/revoke-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Maximum enrolments shown; the list has all. */
const SHOWN = 5

/** Enrolments for a person's phones, newest first, with the enrolled device. */
export function UserEnrolments({ user: { device_user_reference } }: { user: DeviceUser }) {
  const { t } = useLingui()
  const enrolments = useQuery({
    queryKey: keyOf('listEnrolments', device_user_reference),
    queryFn: async ({ signal }) => {
      const page = await fleetApi.listEnrolments(
        { query: { device_user_reference, limit: SHOWN } },
        { signal },
      )
      return 'data' in page ? page.data : []
    },
  })
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        <Trans>Enrolments</Trans>
      </Title>
      <Loaded query={enrolments} rows={1}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">
              <Trans>No enrolled phones yet.</Trans>
            </Text>
          ) : (
            <DataTable
              caption={t`Enrolments`}
              rows={rows}
              keyOf={({ enrolment_reference }) => enrolment_reference}
              columns={[
                {
                  id: 'state',
                  label: t`State`,
                  width: '7.5rem',
                  cell: ({ enrolment_state }) => <EnrolmentStateBadge state={enrolment_state} />,
                },
                {
                  id: 'made',
                  label: t`Created`,
                  cell: ({ created_at, created_by, description }) => (
                    <Stack gap={0}>
                      <span>
                        <Time at={created_at} /> · {visible(created_by)}
                      </span>
                      {description !== null && <span>{visible(description)}</span>}
                    </Stack>
                  ),
                },
                {
                  id: 'phone',
                  label: t`Phone`,
                  cell: (row) =>
                    row.enrolment_state === 'open' ? (
                      <Trans>
                        Valid until <Time at={row.expires_at} />
                      </Trans>
                    ) : (
                      <EnrolledDevices enrolment={row} />
                    ),
                },
              ]}
              actions={(row) => row.enrolment_state === 'open' && <RevokeButton enrolment={row} />}
            />
          )
        }
      </Loaded>
    </section>
  )
}
