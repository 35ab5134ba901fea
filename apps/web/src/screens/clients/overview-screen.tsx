import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Paper, Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ClientsTab } from './clients-tab.tsx'
import { StaffTab } from './staff-tab.tsx'
import { OverviewCards } from './overview-cards.tsx'
import { OVERVIEW_TABS, type OverviewSearch, overviewSearch } from './overview-search.ts'

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
