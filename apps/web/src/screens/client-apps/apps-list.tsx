import { type ClientApp, ClientAppReference } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { appsApi } from '../../api/client-apps-api.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'

const column = getColumns<ClientApp>()

const apps = defineList({
  name: 'client-apps',
  call: 'listClientApps',
  api: appsApi,
  to: '/dashboard/account/apps',
  key: ClientAppReference,
  title: msg`Apps`,
  icon: 'key',
  columns: [
    column.name('name', msg`Name`, (row) => row.app_reference, { width: 130, grow: 1.2 }),
    column.text('roles', msg`Roles`, (row) => row.roles.join(', '), {
      width: 150,
      grow: 1.6,
      stacked: 'line',
    }),
    column.text('group', msg`Group`, { width: 100, grow: 1 }),
    column.text('issuer', msg`Issuer`, (row) => row.oidc_config.issuer, { width: 180, grow: 2 }),
    column.text('audience', msg`Audience`, (row) => row.oidc_config.audience, { width: 120, grow: 1 }),
    column.text('keys', msg`Public keys`, (row) => row.oidc_config.jwks_uri, {
      width: 180,
      grow: 1,
      isOptional: true,
    }),
    column.texts('networks', msg`Networks`, (row) => row.cidr_ranges, {
      width: 120,
      grow: 1,
      none: msg`Any`,
    }),
    column.moment('seen', msg`Last seen`, (row) => row.last_seen, { stacked: 'end', none: msg`Never` }),
    ...savedColumns<ClientApp>(),
  ],
  filters: [{ kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Name` }],
  noMatch: msg`No apps match`,
  empty: {
    title: msg`No apps yet`,
    description: msg`An app is your program that calls Custodia with tokens of its own identity provider, for example to confirm receipts.`,
  },
  isUnchanged: true,
  getKey: (row) => row.app_reference,
  rowTitle: (row) => row.app_reference,
  Preview: lazy(() => import('./app-preview.tsx')),
  records: {
    Drawer: lazy(() => import('./app-drawer.tsx')),
    create: { label: msg`Create app`, action: 'account.apps:create' },
  },
})

/** `/dashboard/account/apps`: client apps with tokens of their own. */
export const AppsList = () => <ListPage list={apps} />
