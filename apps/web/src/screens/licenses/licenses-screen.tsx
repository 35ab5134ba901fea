import { DEVICE_SERVICES, type Licenses } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Searched } from '../../ui/searched.tsx'
import { ClientName, findClients } from '../../components/clients/named-clients.tsx'
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
      cell: ClientName,
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
  const edited = mayEdit ? query.data?.find(({ client }) => client === search.edit) : undefined
  return (
    <>
      <PageHeader
        title={t`Licences`}
        description={
          <Trans>Activated devices that use a service, out of those that may. A limit of 0 means none.</Trans>
        }
      />
      <Paper>
        <Searched
          query={query}
          label={t`Search clients`}
          placeholder={t`Name or short name`}
          sought={search.search ?? ''}
          onSearch={(sought) => change({ search: sought || undefined })}
          find={findClients}
          empty={{
            icon: 'check-circle',
            title: t`No licences yet`,
            description: <Trans>Every client of the installation appears here with its limits.</Trans>,
          }}
          noMatch={t`No clients match`}
        >
          {(found) => (
            <DataTable caption={t`Licences`} columns={columns} rows={found} keyOf={({ client }) => client} />
          )}
        </Searched>
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
      </Paper>
    </>
  )
}
