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

const roles: ListDefinition<StoredRole, Query> = {
  name: 'roles',
  call: 'listRoles',
  title: msg`Roles`,
  permission: 'roles:list',
  icon: 'shield',
  columns: [
    {
      id: 'name',
      label: msg`Name`,
      width: 190,
      grow: 1,
      stacked: 'lead',
      Cell: cells.NameCell,
      csv: [{ label: msg`Name`, value: (row) => row.role_reference }],
    },
    {
      id: 'system',
      label: msg`System`,
      width: 104,
      stacked: 'end',
      Cell: cells.KindCell,
      csv: [{ label: msg`System`, value: (row) => row.is_system }],
    },
    {
      id: 'description',
      label: msg`Description`,
      width: 200,
      grow: 3,
      stacked: 'line',
      Cell: cells.DescriptionCell,
      csv: [{ label: msg`Description`, value: (row) => row.description }],
    },
    {
      id: 'rules',
      label: msg`Rules`,
      width: 84,
      Cell: cells.RulesCell,
      csv: [{ label: msg`Rules`, value: (row) => row.permissions.length }],
    },
    {
      id: 'types',
      label: msg`Payload types`,
      width: 140,
      grow: 1,
      Cell: cells.TypesCell,
      csv: [{ label: msg`Payload types`, value: (row) => row.payload_types.join('; ') }],
    },
    {
      id: 'networks',
      label: msg`Networks`,
      width: 120,
      grow: 1,
      Cell: cells.NetworksCell,
      csv: [{ label: msg`Networks`, value: (row) => row.cidr_ranges.join('; ') }],
    },
    {
      id: 'alertable',
      label: msg`Alertable`,
      width: 136,
      Cell: cells.AlertableCell,
      csv: [{ label: msg`Alertable`, value: (row) => row.is_alertable }],
    },
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
