import { Trans, useLingui } from '@lingui/react/macro'
import { Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { UserLink } from '../../components/devices/links.tsx'
import { GroupName } from '../../components/group-name.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { historyQuery } from './device-query.ts'

/** Holders of a device, newest first. */
export function DeviceHistory({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        <Trans>Holders over time</Trans>
      </Title>
      <Loaded query={useQuery(historyQuery(reference))} rows={3}>
        {({ history }) =>
          history.length === 0 ? (
            <Text c="dimmed">
              <Trans>No holders yet.</Trans>
            </Text>
          ) : (
            <DataTable
              caption={t`Holders over time`}
              rows={history}
              keyOf={({ from }) => String(from)}
              columns={[
                {
                  id: 'who',
                  label: t`Device user`,
                  cell: ({ device_user_reference, group }) =>
                    group === null ? (
                      <Text c="dimmed" span>
                        <Trans>Outside your groups</Trans>
                      </Text>
                    ) : device_user_reference === null ? (
                      t`None`
                    ) : (
                      <UserLink device_user_reference={device_user_reference}>
                        {visible(device_user_reference)}
                      </UserLink>
                    ),
                },
                { id: 'group', label: t`Group`, cell: ({ group }) => <GroupName group={group} /> },
                { id: 'from', label: t`From`, cell: ({ from }) => <Time at={from} /> },
                {
                  id: 'to',
                  label: t`Until`,
                  cell: ({ to }) => (to === null ? t`Now` : <Time at={to} />),
                },
              ]}
            />
          )
        }
      </Loaded>
    </section>
  )
}
