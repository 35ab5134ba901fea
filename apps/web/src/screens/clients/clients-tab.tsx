import type { ClientAccount } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Box, Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { clientsQuery } from '../../components/clients/client-queries.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
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
      cell: ({ client, client_name }) => (
        <>
          <strong>{client_name}</strong>
          <Text size="sm" c="dimmed" ff="monospace">
            {client}
          </Text>
        </>
      ),
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
  return (
    <>
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
      <Loaded query={query} rows={5}>
        {(clients) => {
          const sought = (search.search ?? '').toLowerCase()
          const found = clients.filter(({ client, client_name }) =>
            `${client}\n${client_name}`.toLowerCase().includes(sought),
          )
          const edited = mayEdit ? clients.find(({ client }) => client === search.edit) : undefined
          return (
            <>
              {clients.length === 0 && (
                <EmptyState
                  icon="group"
                  title={t`No clients yet`}
                  description={<Trans>Clients appear here once the installation has provisioned them.</Trans>}
                />
              )}
              {clients.length > 0 && found.length === 0 && (
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
                  caption={t`Clients`}
                  columns={columns}
                  rows={found}
                  keyOf={({ client }) => client}
                />
              )}
              <Suspense>
                {edited !== undefined && (
                  <IdentityDrawer
                    key={edited.client}
                    account={edited}
                    onClose={() => change({ edit: undefined })}
                  />
                )}
              </Suspense>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
