import { RoleReference, type StoredRole, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { getRouteApi, Link, linkOptions } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { PagePending } from '../../ui/page-pending.tsx'
import { columnsOf } from '../../components/lists/columns.tsx'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { flag, freeText, one } from '../../components/lists/list-search.ts'
import { savedColumns } from '../../components/saved-columns.tsx'
import * as cells from './role-cells.tsx'

const AccountDefaultsPage = lazy(() => import('./account-defaults.tsx'))

const RolesSearch = z.object({
  search: freeText(text(1, 255)),
  kind: one(z.enum(['own', 'system'])),
  alertable: flag(),
  tab: one(z.enum(['defaults'])),
  view: one(text(1, 60)),
  preview: one(RoleReference),
})
export type RolesSearch = z.output<typeof RolesSearch>

interface Query {
  search?: string
  is_system?: boolean
  is_alertable?: boolean
}

const column = columnsOf<StoredRole>()

const roles: ListDefinition<StoredRole, Query> = {
  name: 'roles',
  call: 'listRoles',
  title: msg`Roles`,
  permission: 'roles:list',
  icon: 'shield',
  columns: [
    column.name('name', msg`Name`, (row) => row.role_reference, { width: 190, grow: 1 }),
    column.drawn('system', msg`System`, cells.KindCell, (row) => row.is_system, {
      width: 104,
      stacked: 'end',
    }),
    column.drawn('description', msg`Description`, cells.DescriptionCell, (row) => row.description, {
      width: 200,
      grow: 3,
      stacked: 'line',
    }),
    column.drawn('rules', msg`Rules`, cells.RulesCell, (row) => row.permissions.length, { width: 84 }),
    column.drawn('types', msg`Payload types`, cells.TypesCell, (row) => row.payload_types.join('; '), {
      width: 140,
      grow: 1,
    }),
    column.drawn('networks', msg`Networks`, cells.NetworksCell, (row) => row.cidr_ranges.join('; '), {
      width: 120,
      grow: 1,
    }),
    column.drawn('alertable', msg`Alertable`, cells.AlertableCell, (row) => row.is_alertable, { width: 136 }),
    ...savedColumns<StoredRole>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name or description` },
    { name: 'kind', kind: 'choice', isSingle: true, label: msg`Made by`, useOptions: useKinds },
    { name: 'alertable', kind: 'flag', label: msg`Raises alerts` },
  ],
  noMatch: msg`No roles match`,
  empty: {
    title: msg`No roles yet`,
    description: msg`Roles say who may do what, for which groups and types of recordings.`,
  },
  isStill: true,
  keyOf: (row) => row.role_reference,
  queryOf: ({ search, kind, alertable }) => ({
    ...(typeof search === 'string' ? { search } : {}),
    ...(kind === undefined ? {} : { is_system: kind === 'system' }),
    ...(alertable === true ? { is_alertable: true } : {}),
  }),
  ...listPages((query: Query, signal) => api.listRoles({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/access/roles', search: RolesSearch.parse(search) }),
  detail: ({ role_reference }) =>
    linkOptions({ to: '/dashboard/access/roles/$role_reference', params: { role_reference } }),
  primaryAction: <CreateRole />,
}

function useKinds() {
  const { t } = useLingui()
  return [
    { value: 'own', label: t`Your account` },
    { value: 'system', label: t`System` },
  ]
}

function CreateRole() {
  if (!useMay()('roles:update')) return null
  return (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      renderRoot={(rest) => <Link {...rest} to="/dashboard/access/roles/create" />}
    >
      <Trans>Create role</Trans>
    </Button>
  )
}

const route = getRouteApi('/dashboard/access/roles/')

/** `/dashboard/access/roles`: all roles; with `?tab=defaults` what holds where a token says nothing else. */
export function RolesList() {
  const search = RolesSearch.parse(route.useSearch())
  const hasDefaults = useMay()('account.defaults:read')
  const isDefaults = search.tab === 'defaults'
  return (
    <PageTabs
      label={msg`Parts of this page`}
      tabs={
        hasDefaults
          ? [
              { label: msg`Roles`, isShown: !isDefaults, to: '/dashboard/access/roles', search: {} },
              {
                label: msg`Account defaults`,
                isShown: isDefaults,
                to: '/dashboard/access/roles',
                search: { tab: 'defaults' },
              },
            ]
          : []
      }
    >
      {isDefaults ? (
        <Suspense fallback={<PagePending />}>
          <AccountDefaultsPage />
        </Suspense>
      ) : (
        <ListPage list={roles} search={search} />
      )}
    </PageTabs>
  )
}
