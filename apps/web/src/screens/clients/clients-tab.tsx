import {
  type ClientAccount,
  type ClientDeletion,
  ClientReference,
  type CreatedClient,
  DEVICE_SERVICES,
  text,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useId, useState } from 'react'
import * as z from 'zod/mini'
import { useMay } from '../../api/use-profile.ts'
import { ClientsTable } from '../../components/clients/clients-table.tsx'
import { clientsQuery, licensesQuery, statisticsQuery } from '../../components/clients/clients.tsx'
import { flag, freeText, one, searchReader } from '../../components/lists/list-search.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { PageMenu } from '../../ui/act-button.tsx'
import type { DataColumn } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor, LinkButton } from '../../ui/links.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { Time } from '../../ui/time.tsx'
import { formatSize } from '../payloads/formats.ts'
import { ClientState, SuspensionButton } from './suspension.tsx'

export const OVERVIEW_TABS = ['clients', 'staff'] as const

/** `/internal?tab=staff`; `edit` opens the drawer of a client's identity provider, `create` that of a new client. */
export const overviewSearch = searchReader({
  tab: one(z.enum(OVERVIEW_TABS)),
  search: freeText(text(1, 255)),
  edit: one(ClientReference),
  create: flag,
  sort: one(z.enum(['name', 'alerts', 'waiting', 'licences', 'storage', 'devices'])),
})
export type OverviewSearch = ReturnType<typeof overviewSearch>

const IdentityDrawer = lazy(() => withTexts('lazy', import('./identity-drawer.tsx')))
const CreateDrawer = lazy(() => withTexts('lazy', import('./create-drawer.tsx')))
const dialogs = () => withTexts('lazy', import('./client-dialogs.tsx'))
const CreatedDialog = lazy(async () => ({ default: (await dialogs()).CreatedDialog }))
const DeletedDialog = lazy(async () => ({ default: (await dialogs()).DeletedDialog }))
const DeletionButtons = lazy(async () => ({ default: (await dialogs()).DeletionButtons }))

/** A client with what other pages of the provider know of it. */
interface ClientLine extends ClientAccount {
  /** The service whose licences are used most; undefined: unknown or none. */
  licensed: { used: number; limit: number } | undefined
  /** Recordings and their megabytes in the store, as counted last; undefined: unknown. */
  stored: { count: number; size_mb: number } | undefined
}

/** Clients with licences and storage, as far as the reader may see them. */
function useClientLines(): {
  data: readonly ClientLine[] | undefined
  error: unknown
  refetch: () => unknown
} {
  const may = useMay()
  const clients = useQuery(clientsQuery)
  const licenses = useQuery({ ...licensesQuery, enabled: may('internal.licenses:list') })
  const statistics = useQuery({ ...statisticsQuery, enabled: may('internal.statistics:read') })
  const isWaiting = licenses.isLoading || statistics.isLoading
  const data = clients.data?.map((account): ClientLine => {
    const license = licenses.data?.find(({ client }) => client === account.client)
    const object = statistics.data?.buckets[0]?.clients.find(({ client }) => client === account.client)
    const ofServices = DEVICE_SERVICES.flatMap((service) => {
      const [used, limit] = [license?.used[service] ?? 0, license?.limits[service] ?? 0]
      return limit > 0 ? [{ used, limit }] : []
    })
    return {
      ...account,
      licensed: ofServices.toSorted((x, y) => y.used / y.limit - x.used / x.limit)[0],
      stored: statistics.data && { count: object?.count ?? 0, size_mb: object?.size_mb ?? 0 },
    }
  })
  return { data: isWaiting ? undefined : data, error: clients.error, refetch: clients.refetch }
}

/** What the table can be sorted by; the highest first, except names. */
const SORTS = {
  name: { label: msg`Name`, value: () => 0 },
  alerts: { label: msg`Open alerts`, value: ({ open_alerts }: ClientLine) => open_alerts },
  waiting: { label: msg`Waiting uploads`, value: ({ waiting_uploads }: ClientLine) => waiting_uploads },
  licences: {
    label: msg`Licence use`,
    value: ({ licensed }: ClientLine) => (licensed ? licensed.used / licensed.limit : 0),
  },
  storage: { label: msg`Storage`, value: ({ stored }: ClientLine) => stored?.size_mb ?? 0 },
  devices: { label: msg`Devices`, value: ({ devices }: ClientLine) => devices },
}
type SortName = keyof typeof SORTS
const SORT_NAMES = Object.keys(SORTS) as SortName[]

/** Facts of a client in the table. */
function useClientColumns(): DataColumn<ClientLine>[] {
  const { t, i18n } = useLingui()
  const may = useMay()
  const count = (value: number) => <span className="tabular">{i18n.number(value)}</span>
  const percent = (share: number) => i18n.number(share, { style: 'percent', maximumFractionDigits: 0 })
  return [
    {
      label: t`State`,
      cell: (account) => (
        <>
          <ClientState {...account} />
          <Text size="sm" c="dimmed">
            <Trans>
              Since <Time at={account.created_at} style="day" />
            </Trans>
          </Text>
          <IdentityProvider {...account} />
        </>
      ),
    },
    {
      label: t`Open alerts`,
      align: 'end',
      cell: ({ client, client_name, open_alerts }) =>
        open_alerts > 0 && may('internal.alerts:list') ? (
          <LinkAnchor
            className="tabular"
            aria-label={t`Open alerts of ${client_name}: ${open_alerts}`}
            to="/internal/alerts"
            search={{ clients: [client], states: ['Triggered'] }}
          >
            {i18n.number(open_alerts)}
          </LinkAnchor>
        ) : (
          count(open_alerts)
        ),
    },
    { label: t`Waiting uploads`, count: (row) => row.waiting_uploads },
    { label: t`Devices`, count: (row) => row.devices },
    { label: t`Device users`, count: (row) => row.device_users },
    {
      label: t`Licence use`,
      align: 'end',
      cell: ({ licensed }) =>
        licensed === undefined ? (
          '–'
        ) : (
          <span className="tabular">{percent(licensed.used / licensed.limit)}</span>
        ),
    },
    {
      label: t`Storage`,
      align: 'end',
      cell: ({ stored }) =>
        stored === undefined ? (
          '–'
        ) : (
          <span className="tabular" style={{ whiteSpace: 'nowrap' }}>
            {formatSize(stored.size_mb * 1e6, i18n)}
          </span>
        ),
    },
  ]
}

/** The client's own identity provider, and a change of it that waits; the installation's is usual and not named. */
function IdentityProvider({ oidc_issuer, oidc_client_id, identity_change }: ClientAccount) {
  return (
    <>
      {oidc_issuer !== null && (
        <Text size="sm">
          {oidc_issuer} · {oidc_client_id}
        </Text>
      )}
      {identity_change && (
        <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
          <Trans>Waiting for confirmation</Trans>
        </Badge>
      )}
    </>
  )
}

/** What staff can do with a client, as permitted. */
function ClientActions(props: {
  account: ClientAccount
  onEdit: () => void
  onDeleted: (deletion: ClientDeletion) => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const { account } = props
  const { client, client_name, suspended_at } = account
  const maySuspend = may(suspended_at === null ? 'internal.clients:suspend' : 'internal.clients:resume')
  const mayDelete = suspended_at !== null && may('internal.clients:delete')
  const mayRequest = may('internal.supportaccess:request')
  const request = { to: '/internal/support', search: { request: true, client } } as const
  if (!may('internal.clients:update') && !maySuspend && !mayDelete)
    return (
      mayRequest && (
        <LinkButton size="xs" variant="default" {...request} aria-label={t`Request access to ${client_name}`}>
          <Trans>Request access</Trans>
        </LinkButton>
      )
    )
  return (
    <PageMenu label={t`More actions for ${client_name}`}>
      {mayRequest && <PageAct icon="lifebuoy" label={t`Request access`} to={request as never} />}
      {may('internal.clients:update') && (
        <PageAct icon="key" label={t`Identity provider`} onClick={props.onEdit} />
      )}
      {maySuspend && <SuspensionButton account={account} />}
      {mayDelete && (
        <Suspense>
          <DeletionButtons account={account} onDeleted={props.onDeleted} />
        </Suspense>
      )}
    </PageMenu>
  )
}

function SortSelect(props: { value: SortName; onChange: (value: SortName) => void }) {
  const { i18n } = useLingui()
  const id = useId()
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" c="dimmed" component="label" htmlFor={id}>
        <Trans>Sort by</Trans>
      </Text>
      <NativeSelect
        id={id}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value as SortName)}
        data={SORT_NAMES.map((value) => ({ value, label: i18n._(SORTS[value].label) }))}
      />
    </Group>
  )
}

/** The provider's customers, with use and identity provider. */
export function ClientsTab({
  search,
  change,
}: {
  search: OverviewSearch
  change: (changes: OverviewSearch) => void
}) {
  const { t } = useLingui()
  const may = useMay()
  const { data, ...query } = useClientLines()
  const sort = search.sort ?? 'name'
  const sorted = data?.toSorted((x, y) => SORTS[sort].value(y) - SORTS[sort].value(x))
  const columns = useClientColumns()
  const mayEdit = may('internal.clients:update')
  const mayAct = mayEdit || may('internal.supportaccess:request')
  const [made, setMade] = useState<CreatedClient>()
  const [deletion, setDeletion] = useState<ClientDeletion>()
  const actions = (account: ClientAccount) => (
    <ClientActions
      account={account}
      onEdit={() => change({ edit: account.client })}
      onDeleted={setDeletion}
    />
  )
  return (
    <>
      <ClientsTable
        query={{ ...query, data: sorted }}
        lines={5}
        extra={<SortSelect value={sort} onChange={(value) => change({ sort: value })} />}
        caption={t`Clients`}
        columns={columns}
        actions={mayAct ? actions : undefined}
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
