import { type LegalMatter, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy } from 'react'
import { holdsApi } from '../../api/governance-api.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { eitherFilter } from '../../components/words/spec-word.tsx'
import { authorName } from '../../ui/visible.ts'
import { CLOSED, MatterPage, MatterState, OPEN } from './matter-page.tsx'

const column = getColumns<LegalMatter>()

const matters = defineList({
  name: 'legal-matters',
  call: 'listLegalMatters',
  api: holdsApi,
  to: '/dashboard/governance/matters',
  key: Ulid,
  title: msg`Legal matters`,
  icon: 'lock',
  columns: [
    column.name('name', msg({ context: 'legal matter', message: 'Legal matter' }), { width: 210, grow: 2 }),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <MatterState matter={row} />,
      (row) => row.closed_at,
      {
        width: 116,
        stacked: 'end',
      },
    ),
    column.count('people', msg`People`, { width: 84 }),
    column.moment('opened_at', msg({ context: 'legal matter', message: 'Opened' })),
    column.text('opened_by', msg`Opened by`, (row) => authorName(row, 'opened_by'), { width: 126 }),
    column.moment('closed_at', CLOSED),
    ...savedColumns<LegalMatter>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Matter name` },
    eitherFilter('is_open', msg`State`, { true: OPEN, false: CLOSED }),
  ],
  views: [{ name: 'open', label: msg({ context: 'matters', message: 'Open' }), search: { is_open: true } }],
  noMatch: msg`No matters match`,
  empty: {
    title: msg`No legal matters yet`,
    description: msg`A matter places many people on hold for one reason and releases them when closed.`,
  },
  isUnchanged: true,
  getKey: (row) => row.matter_id,
  rowTitle: (row) => row.name,
  detail: ({ matter_id }) => ({
    to: '/dashboard/governance/matters',
    search: { matter: matter_id } as never,
  }),
  records: {
    Drawer: lazy(() => import('./matter-dialog.tsx')),
    create: { label: msg`Open a matter`, action: 'account.legal_matters:create', icon: 'lock' },
    isOnlyCreated: true,
  },
})

const route = getRouteApi('/dashboard/governance/matters')

/** `/dashboard/governance/matters`: legal matters; with `?matter=` one of them. */
export default function Matters() {
  const { matter } = route.useSearch()
  const read = Ulid.safeParse(matter)
  return read.success ? <MatterPage key={read.data} matter_id={read.data} /> : <ListPage list={matters} />
}
