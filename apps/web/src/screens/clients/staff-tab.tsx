import type { StaffMember } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Time } from '../../ui/time.tsx'
import { staffQuery } from '../../components/clients/client-queries.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'

/** The provider's staff, from the sign-ins of the last 30 days. */
export function StaffTab() {
  const { t, i18n } = useLingui()
  const query = useQuery(staffQuery)
  const columns: DataColumn<StaffMember>[] = [
    { id: 'user', label: t`User`, cell: ({ user_reference }) => <strong>{user_reference}</strong> },
    {
      id: 'roles',
      label: t`Roles`,
      cell: ({ roles }) =>
        roles.length === 0 ? (
          <Text span c="dimmed">
            <Trans>No roles</Trans>
          </Text>
        ) : (
          <Group gap={6}>
            {roles.map((role) => (
              <Badge key={role} color="gray">
                {role}
              </Badge>
            ))}
          </Group>
        ),
    },
    { id: 'group', label: t`Group`, cell: ({ user_group }) => user_group ?? '–' },
    {
      id: 'seen',
      label: t`Last seen`,
      cell: ({ last_seen }) => (last_seen === null ? '–' : <Time at={last_seen} />),
    },
    {
      id: 'sessions',
      label: t`Open sessions`,
      align: 'end',
      cell: ({ active_sessions }) => <span className="tabular">{i18n.number(active_sessions)}</span>,
    },
  ]
  return (
    <Loaded query={query} rows={4}>
      {(staff) =>
        staff.length === 0 ? (
          <EmptyState
            icon="user"
            title={t`No sign-ins yet`}
            description={<Trans>Provider staff appear here after their first sign-in.</Trans>}
          />
        ) : (
          <DataTable
            caption={t`Staff`}
            columns={columns}
            rows={staff}
            keyOf={({ user_reference }) => user_reference}
          />
        )
      }
    </Loaded>
  )
}
