import {
  type ClientAccount,
  type ClientDeletion,
  ClientReference,
  type CreatedClient,
  text,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { clientsQuery } from '../../components/clients/clients.ts'
import { ClientsTable } from '../../components/clients/clients-table.tsx'
import type { DataColumn } from '../../ui/data-table.tsx'
import * as z from 'zod/mini'
import { flag, freeText, one, searchReader } from '../../components/lists/list-search.ts'
import { ClientState, SuspensionButton } from './suspension.tsx'

export const OVERVIEW_TABS = ['clients', 'staff'] as const

/** `/internal?tab=staff`; `edit` opens the drawer of a client's identity provider, `create` that of a new client. */
export const overviewSearch = searchReader({
  tab: one(z.enum(OVERVIEW_TABS)),
  search: freeText(text(1, 255)),
  edit: one(ClientReference),
  create: flag,
})
export type OverviewSearch = ReturnType<typeof overviewSearch>

const IdentityDrawer = lazy(() => withTexts('lazy', import('./identity-drawer.tsx')))
const CreateDrawer = lazy(() => withTexts('lazy', import('./create-drawer.tsx')))
const dialogs = () => withTexts('lazy', import('./client-dialogs.tsx'))
const CreatedDialog = lazy(async () => ({ default: (await dialogs()).CreatedDialog }))
const DeletedDialog = lazy(async () => ({ default: (await dialogs()).DeletedDialog }))
const DeletionButtons = lazy(async () => ({ default: (await dialogs()).DeletionButtons }))

/** The provider's customers, with use and identity provider. */
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
  const [made, setMade] = useState<CreatedClient>()
  const [deletion, setDeletion] = useState<ClientDeletion>()
  const count = (value: number) => <span className="tabular">{i18n.number(value)}</span>
  const columns: DataColumn<ClientAccount>[] = [
    { id: 'state', label: t`State`, cell: ClientState },
    { id: 'since', label: t`Since`, cell: ({ created_at }) => <Time at={created_at} style="day" /> },
    { id: 'devices', label: t`Devices`, align: 'end', cell: ({ devices }) => count(devices) },
    { id: 'users', label: t`Device users`, align: 'end', cell: ({ device_users }) => count(device_users) },
    {
      id: 'identity',
      label: t`Identity provider`,
      cell: ({ oidc_issuer, oidc_client_id, identity_change }) => (
        <>
          {oidc_issuer === null ? (
            <Trans>Installation default</Trans>
          ) : (
            <>
              {oidc_issuer}
              <Text size="sm" c="dimmed">
                {oidc_client_id}
              </Text>
            </>
          )}
          {identity_change && (
            <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
              <Trans>Waiting for confirmation</Trans>
            </Badge>
          )}
        </>
      ),
    },
  ]
  const actions = (account: ClientAccount) => {
    const { client, client_name, suspended_at } = account
    return (
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
        {may(suspended_at === null ? 'internal.clients:suspend' : 'internal.clients:resume') && (
          <SuspensionButton account={account} />
        )}
        {suspended_at !== null && may('internal.clients:delete') && (
          <Suspense>
            <DeletionButtons account={account} onDeleted={setDeletion} />
          </Suspense>
        )}
      </Group>
    )
  }
  return (
    <>
      <ClientsTable
        query={query}
        lines={5}
        caption={t`Clients`}
        columns={columns}
        actions={mayEdit || mayAsk ? actions : undefined}
        empty={{
          icon: 'group',
          title: t`No clients yet`,
          description: <Trans>Create the first one.</Trans>,
        }}
        search={search}
        change={change}
        drawer={
          mayEdit
            ? (account, onClose) => (
                <IdentityDrawer key={account.client} account={account} onClose={onClose} />
              )
            : undefined
        }
      />
      <Suspense>
        {search.create === true && may('internal.clients:create') && (
          <CreateDrawer
            onClose={() => change({ create: undefined })}
            onCreated={(created) => {
              change({ create: undefined })
              setMade(created)
            }}
          />
        )}
        {deletion && <DeletedDialog deletion={deletion} onClose={() => setDeletion(undefined)} />}
        {made && <CreatedDialog made={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </>
  )
}
