import { type ClientApp, ClientAppReference, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { csvTime } from '../../components/lists/csv.ts'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { flag, freeText, one } from '../../components/lists/list-search.ts'
import * as cells from './app-cells.tsx'

const AppDrawer = lazy(() => import('./app-drawer.tsx'))
const Preview = lazy(() => import('./app-preview.tsx'))

const AppsSearch = z.object({
  search: freeText(text(1, 255)),
  edit: one(ClientAppReference),
  create: flag(),
  view: one(text(1, 60)),
  preview: one(ClientAppReference),
})
export type AppsSearch = z.output<typeof AppsSearch>

interface Query {
  search?: string | undefined
}

const apps: ListDefinition<ClientApp, Query> = {
  name: 'client-apps',
  call: 'listClientApps',
  title: msg`Apps`,
  permission: 'account.apps:list',
  icon: 'key',
  columns: [
    {
      id: 'name',
      label: msg`Name`,
      width: 130,
      grow: 1.2,
      stacked: 'lead',
      Cell: cells.NameCell,
      csv: [{ label: msg`Name`, value: (row) => row.app_reference }],
    },
    {
      id: 'roles',
      label: msg`Roles`,
      width: 150,
      grow: 1.6,
      stacked: 'line',
      Cell: cells.RolesCell,
      csv: [{ label: msg`Roles`, value: (row) => row.roles.join(', ') }],
    },
    {
      id: 'group',
      label: msg`Group`,
      width: 100,
      grow: 1,
      Cell: cells.GroupCell,
      csv: [{ label: msg`Group`, value: (row) => row.group }],
    },
    {
      id: 'issuer',
      label: msg`Issuer`,
      width: 180,
      grow: 2,
      Cell: cells.IssuerCell,
      csv: [{ label: msg`Issuer`, value: (row) => row.oidc_config.issuer }],
    },
    {
      id: 'audience',
      label: msg`Audience`,
      width: 120,
      grow: 1,
      Cell: cells.AudienceCell,
      csv: [{ label: msg`Audience`, value: (row) => row.oidc_config.audience }],
    },
    {
      id: 'keys',
      label: msg`Public keys`,
      width: 180,
      grow: 1,
      isOptional: true,
      Cell: cells.KeysCell,
      csv: [{ label: msg`Public keys`, value: (row) => row.oidc_config.jwks_uri }],
    },
    {
      id: 'networks',
      label: msg`Networks`,
      width: 120,
      grow: 1,
      Cell: cells.NetworksCell,
      csv: [{ label: msg`Networks`, value: (row) => row.cidr_ranges.join(', ') }],
    },
    {
      id: 'seen',
      label: msg`Last seen`,
      width: 154,
      stacked: 'end',
      Cell: cells.SeenCell,
      csv: [{ label: msg`Last seen (UTC)`, value: (row) => csvTime(row.last_seen ?? undefined) }],
    },
    {
      id: 'updated',
      label: msg`Updated`,
      width: 154,
      isOptional: true,
      Cell: cells.UpdatedCell,
      csv: [{ label: msg`Updated (UTC)`, value: (row) => csvTime(row.updated_at ?? undefined) }],
    },
    {
      id: 'by',
      label: msg`Updated by`,
      width: 120,
      isOptional: true,
      Cell: cells.ByCell,
      csv: [{ label: msg`Updated by`, value: (row) => row.updated_by }],
    },
  ],
  filters: [{ kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Name` }],
  noMatch: msg`No apps match`,
  empty: {
    title: msg`No apps yet`,
    description: msg`An app is a program of yours that calls Custodia with tokens of its own identity provider, for instance to confirm that it has received recordings.`,
    action: <CreateApp />,
  },
  isStill: true,
  keyOf: ({ app_reference }) => app_reference,
  queryOf: (search) => ({ search: (search as AppsSearch).search }),
  ...listPages((query: Query, signal) => api.listClientApps({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/account/apps', search: AppsSearch.parse(search) }),
  detail: ({ app_reference }, search) =>
    linkOptions({
      to: '/dashboard/account/apps',
      search: { ...AppsSearch.parse(search), edit: app_reference, create: undefined },
    }),
  Preview,
  primaryAction: <CreateApp />,
}

function CreateApp() {
  if (!useMay()('account.apps:create')) return null
  return (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      renderRoot={(rest) => (
        <Link {...rest} to="/dashboard/account/apps" search={(search) => ({ ...search, create: true })} />
      )}
    >
      <Trans>Create app</Trans>
    </Button>
  )
}

const route = getRouteApi('/dashboard/account/apps')

/** `/dashboard/account/apps`: programs of the client that call with tokens of their own. */
export function Apps() {
  const search = AppsSearch.parse(route.useSearch())
  const navigate = useNavigate()
  const close = () =>
    void navigate({
      to: '/dashboard/account/apps',
      search: { ...search, edit: undefined, create: undefined },
      resetScroll: false,
    })
  return (
    <>
      <ListPage list={apps} search={search} />
      <Suspense>
        {search.create === true ? (
          <AppDrawer onClose={close} />
        ) : (
          search.edit !== undefined && <AppDrawer key={search.edit} reference={search.edit} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
