import { DEVICE_SERVICES, type Licenses } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Box, Button, Paper, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { licensesQuery } from './license-queries.ts'
import { type LicensesSearch, licensesSearch } from './licenses-search.ts'
import { SERVICE_WORDS } from '../../components/service-words.ts'
import { Usage } from './usage.tsx'

const LimitsDrawer = lazy(() => import('./limits-drawer.tsx'))
const route = getRouteApi('/internal/licenses')

/** `/internal/licenses`: for every client how many devices may use each service, and how many do. */
export function LicensesScreen() {
  const { t, i18n } = useLingui()
  const search = licensesSearch(route.useSearch())
  const navigate = useNavigate()
  const query = useQuery(licensesQuery)
  const mayEdit = useMay()('internal.licenses:update')
  const change = (changes: LicensesSearch) =>
    void navigate({
      to: '/internal/licenses',
      search: { ...search, ...changes },
      replace: true,
      resetScroll: false,
    })
  const columns: DataColumn<Licenses>[] = [
    {
      id: 'client',
      label: t`Client`,
      cell: ({ client, client_name }) => (
        <>
          <strong>{client_name}</strong>
          <Text size="sm" c="dimmed" ff="monospace">
            {client}
          </Text>
        </>
      ),
    },
    ...DEVICE_SERVICES.map((service) => ({
      id: service,
      label: i18n._(SERVICE_WORDS[service]),
      align: 'end' as const,
      cell: ({ limits, used }: Licenses) => <Usage used={used[service]} limit={limits[service]} />,
    })),
    ...(mayEdit
      ? [
          {
            id: 'actions',
            label: t`Actions`,
            isLabelHidden: true,
            align: 'end' as const,
            cell: ({ client, client_name }: Licenses) => (
              <Button
                size="xs"
                variant="default"
                onClick={() => change({ edit: client })}
                aria-label={t`Edit the limits of ${client_name}`}
              >
                <Trans>Edit</Trans>
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      <PageHeader
        title={t`Licences`}
        description={
          <Trans>Activated devices that use a service, out of those that may. A limit of 0 means none.</Trans>
        }
      />
      <Paper>
        <Box p="sm">
          <TextInput
            maw={340}
            aria-label={t`Search clients`}
            placeholder={t`Name or short name`}
            leftSection={<Icon name="search" size={16} />}
            value={search.search ?? ''}
            onChange={(event) => change({ search: event.currentTarget.value || undefined })}
          />
        </Box>
        <Loaded query={query}>
          {(all) => {
            const sought = (search.search ?? '').toLowerCase()
            const found = all.filter(({ client, client_name }) =>
              `${client}\n${client_name}`.toLowerCase().includes(sought),
            )
            const edited = mayEdit ? all.find(({ client }) => client === search.edit) : undefined
            return (
              <>
                {all.length === 0 && (
                  <EmptyState
                    icon="check-circle"
                    title={t`No licences yet`}
                    description={
                      <Trans>Every client of the installation appears here with its limits.</Trans>
                    }
                  />
                )}
                {all.length > 0 && found.length === 0 && (
                  <EmptyState
                    icon="search"
                    title={t`No clients match`}
                    action={
                      <Button variant="default" onClick={() => change({ search: undefined })}>
                        <Trans>Clear the search</Trans>
                      </Button>
                    }
                  />
                )}
                {found.length > 0 && (
                  <DataTable
                    caption={t`Licences`}
                    columns={columns}
                    rows={found}
                    keyOf={({ client }) => client}
                  />
                )}
                <Suspense>
                  {edited !== undefined && (
                    <LimitsDrawer
                      key={`${edited.client} ${edited.version}`}
                      licenses={edited}
                      onClose={() => change({ edit: undefined })}
                      onReload={() => void query.refetch()}
                    />
                  )}
                </Suspense>
              </>
            )
          }}
        </Loaded>
      </Paper>
    </>
  )
}
