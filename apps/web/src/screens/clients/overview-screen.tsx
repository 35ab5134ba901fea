import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Paper, Tabs, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/states.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ClientsTab, OVERVIEW_TABS, type OverviewSearch, overviewSearch } from './clients-tab.tsx'
import type { StaffMember } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { Time } from '../../ui/time.tsx'
import { staffQuery } from '../../components/clients/clients.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { OverviewCards } from './overview-cards.tsx'

/** The provider's staff, from the sign-ins of the last 30 days. */
function StaffTab() {
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

const route = getRouteApi('/internal/')

/** `/internal`: pending work, clients and staff. */
export function OverviewScreen() {
  const { t } = useLingui()
  const search = overviewSearch(route.useSearch())
  const navigate = useNavigate()
  const may = useMay()
  const change = (changes: OverviewSearch) =>
    void navigate({ to: '/internal', search: { ...search, ...changes }, replace: true, resetScroll: false })
  const tabs = [
    { value: 'clients', label: t`Clients`, isOpen: may('internal.clients:list') },
    { value: 'staff', label: t`Staff`, isOpen: may('internal.staff:list') },
  ].filter(({ isOpen }) => isOpen)
  const shown = tabs.find(({ value }) => value === search.tab) ?? tabs[0]
  return (
    <>
      <PageHeader
        title={t`Overview`}
        description={<Trans>Overview of all clients.</Trans>}
        actions={
          may('internal.clients:create') && (
            <Button
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => change({ tab: 'clients', create: true })}
            >
              <Trans>Create a client</Trans>
            </Button>
          )
        }
      />
      <OverviewCards />
      {shown === undefined ? (
        <Paper>
          <EmptyState
            icon="lock"
            title={t`You have no access here yet`}
            description={<Trans>A provider administrator can give you a role.</Trans>}
          />
        </Paper>
      ) : (
        <Paper mt="lg">
          <Tabs
            value={shown.value}
            onChange={(next) => change({ tab: OVERVIEW_TABS.find((tab) => tab === next), edit: undefined })}
            keepMounted={false}
          >
            <Tabs.List>
              {tabs.map(({ value, label }) => (
                <Tabs.Tab key={value} value={value}>
                  {label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value={shown.value}>
              {shown.value === 'clients' ? <ClientsTab search={search} change={change} /> : <StaffTab />}
            </Tabs.Panel>
          </Tabs>
        </Paper>
      )}
    </>
  )
}
