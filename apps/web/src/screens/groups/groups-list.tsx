import { GroupReference, type StoredGroup, TagKey, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, linkOptions, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { columnsOf } from '../../components/lists/columns.tsx'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { flag, freeText, one } from '../../components/lists/list-search.ts'
import { tagDefinitionsQuery } from '../../components/choices.ts'
import { savedColumns } from '../../components/saved-columns.tsx'
import * as cells from './group-cells.tsx'

const GroupDrawer = lazy(() => import('./group-drawer.tsx'))
const Preview = lazy(() => import('./group-preview.tsx'))

const GroupsSearch = z.object({
  search: freeText(text(1, 255)),
  tag_key: one(TagKey),
  tag_value: freeText(text(1, 255)),
  edit: one(GroupReference),
  create: flag(),
  view: one(text(1, 60)),
  preview: one(GroupReference),
})
export type GroupsSearch = z.output<typeof GroupsSearch>

type Query = Partial<Record<'search' | 'tag_key' | 'tag_value', string>>

const column = columnsOf<StoredGroup>()
const tagsText = ({ tags }: StoredGroup) => tags.map(({ key, value }) => `${key}=${value}`).join('; ')

const groups: ListDefinition<StoredGroup, Query> = {
  name: 'groups',
  call: 'listGroups',
  title: msg`Groups`,
  permission: 'groups:list',
  icon: 'group',
  columns: [
    column.name('name', msg`Name`, (row) => row.group_reference, { width: 160, grow: 2 }),
    column.drawn('tags', msg`Tags`, cells.TagsCell, tagsText, { width: 220, grow: 3, stacked: 'line' }),
    column.count('users', msg`Device users`, ({ stats }) => stats.device_users, { width: 120 }),
    column.drawn('devices', msg`Devices`, cells.DevicesCell, ({ stats }) => stats.actual_devices, {
      width: 100,
      align: 'end',
      stacked: 'end',
      csv: [
        { label: msg`Devices`, value: ({ stats }) => stats.actual_devices },
        { label: msg`Expected devices`, value: ({ stats }) => stats.expected_devices },
      ],
    }),
    column.count('licences', msg`Licences used`, cells.licencesOf, { width: 120 }),
    ...savedColumns<StoredGroup>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name or tag` },
    { name: 'tag_key', kind: 'choice', isSingle: true, label: msg`Tag`, useOptions: useTagKeys },
    { name: 'tag_value', kind: 'text', label: msg`Tag value` },
  ],
  noMatch: msg`No groups match`,
  empty: {
    title: msg`No groups yet`,
    description: msg`Device users and what they record belong to groups. Roles reach groups by name and tag.`,
    action: <CreateGroup />,
  },
  isStill: true,
  keyOf: (row) => row.group_reference,
  queryOf: (search) =>
    Object.fromEntries(
      (['search', 'tag_key', 'tag_value'] as const).flatMap((name) => {
        const value = search[name]
        return typeof value === 'string' ? [[name, value]] : []
      }),
    ),
  ...listPages((query: Query, signal) => api.listGroups({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/access/groups', search: GroupsSearch.parse(search) }),
  detail: ({ group_reference }, search) =>
    linkOptions({
      to: '/dashboard/access/groups',
      search: { ...GroupsSearch.parse(search), edit: group_reference, create: undefined },
    }),
  Preview,
  primaryAction: <CreateGroup />,
}

function useTagKeys() {
  const may = useMay()
  const { data } = useQuery({ ...tagDefinitionsQuery, enabled: may('tags:list') })
  return (data ?? []).map(({ tag_key }) => ({ value: tag_key, label: tag_key }))
}

function CreateGroup() {
  if (!useMay()('groups:update')) return null
  return (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      renderRoot={(rest) => (
        <Link {...rest} to="/dashboard/access/groups" search={(search) => ({ ...search, create: true })} />
      )}
    >
      <Trans>Create group</Trans>
    </Button>
  )
}

const route = getRouteApi('/dashboard/access/groups')

/** `/dashboard/access/groups`: the groups within reach, with their tags and what belongs to them. */
export function GroupsList() {
  const search = GroupsSearch.parse(route.useSearch())
  const navigate = useNavigate()
  const close = () =>
    void navigate({
      to: '/dashboard/access/groups',
      search: { ...search, edit: undefined, create: undefined },
      resetScroll: false,
    })
  return (
    <>
      <ListPage list={groups} search={search} />
      <Suspense>
        {search.create === true ? (
          <GroupDrawer onClose={close} />
        ) : (
          search.edit !== undefined && (
            <GroupDrawer key={search.edit} reference={search.edit} onClose={close} />
          )
        )}
      </Suspense>
    </>
  )
}
