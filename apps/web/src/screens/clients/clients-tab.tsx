import type { ClientAccount } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Time } from '../../ui/time.tsx'
import { clientsQuery } from '../../components/clients/client-queries.ts'
import { ClientName, findClients } from '../../components/clients/named-clients.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Searched } from '../../ui/searched.tsx'
import type { OverviewSearch } from './overview-search.ts'

const IdentityDrawer = lazy(() => import('./identity-drawer.tsx'))

/** The provider's customers: how much they use, and where their people sign in. */
export function ClientsTab({
  search,
  change,
}: {
  search: OverviewSearch
  change: (changes: OverviewSearch) => void
}) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const query = useQuery(clientsQuery)
  const mayEdit = may('internal.clients:update')
  const mayAsk = may('internal.supportaccess:request')
  const count = (value: number) => <span className="tabular">{i18n.number(value)}</span>
  const columns: DataColumn<ClientAccount>[] = [
    {
      id: 'name',
      label: t`Client`,
      cell: ClientName,
    },
    { id: 'since', label: t`Since`, cell: ({ created_at }) => <Time at={created_at} style="day" /> },
    { id: 'devices', label: t`Devices`, align: 'end', cell: ({ devices }) => count(devices) },
    { id: 'users', label: t`Device users`, align: 'end', cell: ({ device_users }) => count(device_users) },
    {
      id: 'identity',
      label: t`Identity provider`,
      cell: ({ oidc_issuer, oidc_client_id }) =>
        oidc_issuer === null ? (
          <Trans>The installation’s own</Trans>
        ) : (
          <>
            {oidc_issuer}
            <Text size="sm" c="dimmed">
              {oidc_client_id}
            </Text>
          </>
        ),
    },
    ...(mayEdit || mayAsk
      ? [
          {
            id: 'actions',
            label: t`Actions`,
            isLabelHidden: true,
            align: 'end' as const,
            cell: ({ client, client_name }: ClientAccount) => (
              <Group gap="xs" justify="flex-end">
                {mayAsk && (
                  <Button
                    size="xs"
                    variant="default"
                    renderRoot={(root) => (
                      <Link {...root} to="/internal/support" search={{ request: true, client }} />
                    )}
                    aria-label={t`Request access to ${client_name}`}
                  >
                    <Trans>Request access</Trans>
                  </Button>
                )}
                {mayEdit && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => change({ edit: client })}
                    aria-label={t`Identity provider of ${client_name}`}
                  >
                    <Trans>Identity</Trans>
                  </Button>
                )}
              </Group>
            ),
          },
        ]
      : []),
  ]
  const edited = mayEdit ? query.data?.find(({ client }) => client === search.edit) : undefined
  return (
    <>
      <Searched
        query={query}
        lines={5}
        label={t`Search clients`}
        placeholder={t`Name or short name`}
        sought={search.search ?? ''}
        onSearch={(sought) => change({ search: sought || undefined })}
        find={findClients}
        empty={{
          icon: 'group',
          title: t`No clients yet`,
          description: <Trans>Clients appear here once the installation has provisioned them.</Trans>,
        }}
        noMatch={t`No clients match`}
      >
        {(found) => (
          <DataTable caption={t`Clients`} columns={columns} rows={found} keyOf={({ client }) => client} />
        )}
      </Searched>
      <Suspense>
        {edited !== undefined && (
          <IdentityDrawer key={edited.client} account={edited} onClose={() => change({ edit: undefined })} />
        )}
      </Suspense>
    </>
  )
}
