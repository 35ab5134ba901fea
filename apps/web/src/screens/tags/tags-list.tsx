import { type StoredTag, TagKey } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { FaintText, PlainText } from '../../components/cells.tsx'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'

const column = getColumns<StoredTag>()

const tags = defineList({
  name: 'tags',
  call: 'listTags',
  api,
  to: '/dashboard/access/tags',
  key: TagKey,
  title: msg`Tags`,
  icon: 'tag',
  columns: [
    column.name('key', msg`Key`, (row) => row.tag_key, { width: 150, grow: 1 }),
    column.drawn('values', msg`Values`, ValuesCell, (row) => row.tag_values?.join('; ') ?? '*', {
      width: 220,
      grow: 3,
      stacked: 'line',
    }),
    column.mark('required', msg`Required`, (row) => row.is_required, {
      width: 120,
      stacked: 'end',
      word: msg`Required`,
      icon: 'check',
    }),
    column.text('default', msg`Default`, (row) => row.default_value, { width: 130, grow: 1 }),
    column.count('groups', msg`Groups`, { width: 90 }),
    ...savedColumns<StoredTag>(),
  ],
  filters: [{ name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Key or value` }],
  noMatch: msg`No tags match`,
  empty: {
    title: msg`No tags yet`,
    description: msg`Tags describe groups, for example by region, so that roles reach many groups. A definition lists allowed values.`,
  },
  isUnchanged: true,
  getKey: (row) => row.tag_key,
  records: {
    Drawer: lazy(() => import('./tag-drawer.tsx')),
    create: { label: msg`Create tag`, action: 'tags:update' },
  },
})

/** `/dashboard/access/tags`: tag definitions and their values. */
export const TagsList = () => <ListPage list={tags} />

function ValuesCell({ row: { tag_values } }: { row: StoredTag }) {
  if (tag_values === null) return <FaintText word={msg`any value`} />
  return tag_values.length === 0 ? (
    <FaintText word={msg`no value`} />
  ) : (
    <PlainText value={tag_values.join(', ')} />
  )
}
