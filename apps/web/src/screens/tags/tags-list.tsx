import { TagKey, text, type StoredTag } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
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
import { savedColumns } from '../../components/saved-columns.tsx'
import * as cells from './tag-cells.tsx'

const TagDrawer = lazy(() => import('./tag-drawer.tsx'))

const TagsSearch = z.object({
  search: freeText(text(1, 255)),
  edit: one(TagKey),
  create: flag(),
  view: one(text(1, 60)),
})
export type TagsSearch = z.output<typeof TagsSearch>

const column = columnsOf<StoredTag>()

const tags: ListDefinition<StoredTag, { search?: string | undefined }> = {
  name: 'tags',
  call: 'listTags',
  title: msg`Tags`,
  permission: 'tags:list',
  icon: 'tag',
  columns: [
    column.name('key', msg`Key`, (row) => row.tag_key, { width: 150, grow: 1 }),
    column.drawn('values', msg`Values`, cells.ValuesCell, (row) => row.tag_values?.join('; ') ?? '*', {
      width: 220,
      grow: 3,
      stacked: 'line',
    }),
    column.drawn('required', msg`Required`, cells.RequiredCell, (row) => row.is_required, {
      width: 120,
      stacked: 'end',
    }),
    column.text('default', msg`Default`, (row) => row.default_value, { width: 130, grow: 1 }),
    column.count('groups', msg`Groups`, (row) => row.groups, { width: 90 }),
    ...savedColumns<StoredTag>(),
  ],
  filters: [{ name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Key or value` }],
  noMatch: msg`No tags match`,
  empty: {
    title: msg`No tags yet`,
    description: msg`Tags sort groups, for example by region or desk, so that roles can reach many groups at once. A definition says which values a tag may have.`,
    action: <CreateTag />,
  },
  isStill: true,
  keyOf: (row) => row.tag_key,
  queryOf: ({ search }) => ({ search: typeof search === 'string' ? search : undefined }),
  ...listPages((query: { search?: string | undefined }, signal) => api.listTags({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/access/tags', search: TagsSearch.parse(search) }),
  detail: ({ tag_key }, search) =>
    linkOptions({
      to: '/dashboard/access/tags',
      search: { ...TagsSearch.parse(search), edit: tag_key, create: undefined },
    }),
  primaryAction: <CreateTag />,
}

function CreateTag() {
  if (!useMay()('tags:update')) return null
  return (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      renderRoot={(rest) => (
        <Link {...rest} to="/dashboard/access/tags" search={(search) => ({ ...search, create: true })} />
      )}
    >
      <Trans>Create tag</Trans>
    </Button>
  )
}

const route = getRouteApi('/dashboard/access/tags')

/** `/dashboard/access/tags`: which tags groups may or must have, and their values. */
export function TagsList() {
  const search = TagsSearch.parse(route.useSearch())
  const navigate = useNavigate()
  const close = () =>
    void navigate({
      to: '/dashboard/access/tags',
      search: { ...search, edit: undefined, create: undefined },
      resetScroll: false,
    })
  return (
    <>
      <ListPage list={tags} search={search} />
      <Suspense>
        {search.create === true ? (
          <TagDrawer onClose={close} />
        ) : (
          search.edit !== undefined && <TagDrawer key={search.edit} tagKey={search.edit} onClose={close} />
        )}
      </Suspense>
    </>
  )
}
