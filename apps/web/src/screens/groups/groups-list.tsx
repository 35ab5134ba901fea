import { GroupReference, type StoredGroup } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { tagDefinitionsQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { TagChips } from './tag-chips.tsx'

const column = getColumns<StoredGroup>()

const groups = defineList({
  name: 'groups',
  call: 'listGroups',
  api,
  to: '/dashboard/access/groups',
  key: GroupReference,
  title: msg`Groups`,
  icon: 'group',
  columns: [
    column.name('name', msg`Name`, (row) => row.group_reference, { width: 160, grow: 2 }),
    column.drawn(
      'tags',
      msg`Tags`,
      ({ row }) => <TagChips tags={row.tags} />,
      ({ tags }) => tags.map(({ key, value }) => `${key}=${value}`).join('; '),
      { width: 210, grow: 3, stacked: 'line' },
    ),
    column.count('users', msg`Device users`, ({ stats }) => stats.device_users, { width: 96 }),
    column.drawn('devices', msg`Devices`, DevicesCell, ({ stats }) => stats.actual_devices, {
      width: 100,
      align: 'end',
      stacked: 'end',
      csv: [
        { label: msg`Devices`, value: ({ stats }) => stats.actual_devices },
        { label: msg`Expected devices`, value: ({ stats }) => stats.expected_devices },
      ],
    }),
    column.count('licences', msg`Licences used`, getLicences, { width: 96 }),
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
    description: msg`Groups contain device users and recordings. Roles reach groups by name and tag.`,
  },
  isUnchanged: true,
  getKey: (row) => row.group_reference,
  rowTitle: (row) => row.group_reference,
  Preview: lazy(() => import('./group-preview.tsx')),
  records: {
    Drawer: lazy(() => import('./group-drawer.tsx')),
    create: { label: msg`Create group`, action: 'groups:update' },
  },
})

/** `/dashboard/access/groups`: visible groups with tags and counts. */
export const GroupsList = () => <ListPage list={groups} />

function useTagKeys() {
  const { data } = useQuery({ ...tagDefinitionsQuery, enabled: useMay()('tags:list') })
  return (data ?? []).map(({ tag_key }) => ({ value: tag_key, label: tag_key }))
}

/** 'actual / expected'. */
function DevicesCell({ row: { stats } }: { row: StoredGroup }) {
  const { i18n, t } = useLingui()
  const actual = i18n.number(stats.actual_devices)
  const expected = i18n.number(stats.expected_devices)
  return (
    <span title={t`${actual} of ${expected} expected`}>
      <span data-narrow-only>{t`Devices`} </span>
      {`${actual} / ${expected}`}
    </span>
  )
}

/** Licences in use, over all services. */
function getLicences({ stats }: StoredGroup): number {
  return Object.values(stats.services).reduce((sum, { used_licenses }) => sum + used_licenses, 0)
}
