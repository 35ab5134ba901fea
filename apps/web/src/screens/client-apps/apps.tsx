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
import { savedColumns } from '../../components/saved-columns.tsx'
import { columnsOf } from '../../components/lists/columns.tsx'
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

const column = columnsOf<ClientApp>()

const apps: ListDefinition<ClientApp, Query> = {
  name: 'client-apps',
  call: 'listClientApps',
  title: msg`Apps`,
  permission: 'account.apps:list',
  icon: 'key',
  columns: [
    column.name('name', msg`Name`, (row) => row.app_reference, { width: 130, grow: 1.2 }),
    column.text('roles', msg`Roles`, (row) => row.roles.join(', '), {
      width: 150,
      grow: 1.6,
      stacked: 'line',
    }),
    column.text('group', msg`Group`, (row) => row.group, { width: 100, grow: 1 }),
    column.text('issuer', msg`Issuer`, (row) => row.oidc_config.issuer, { width: 180, grow: 2 }),
    column.text('audience', msg`Audience`, (row) => row.oidc_config.audience, { width: 120, grow: 1 }),
    column.text('keys', msg`Public keys`, (row) => row.oidc_config.jwks_uri, {
      width: 180,
      grow: 1,
      isOptional: true,
    }),
    column.drawn('networks', msg`Networks`, cells.NetworksCell, (row) => row.cidr_ranges.join(', '), {
      width: 120,
      grow: 1,
    }),
    column.drawn('seen', msg`Last seen`, cells.SeenCell, (row) => row.last_seen, {
      width: 154,
      stacked: 'end',
      csv: [{ label: msg`Last seen`, unit: 'UTC', value: (row) => csvTime(row.last_seen) }],
    }),
    ...savedColumns<ClientApp>(),
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
