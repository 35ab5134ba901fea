import { type DataRequest, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getRouteApi } from '@tanstack/react-router'
import { lazy } from 'react'
import { requestsApi } from '../../api/governance-api.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { authorName } from '../../ui/visible.ts'
import { DueAt, RequestPage, RequestState } from './request-page.tsx'
import { KIND_WORDS, STATE_WORDS, SUBJECT_WORDS } from './request-words.ts'

const column = getColumns<DataRequest>()
const getSubject = (row: DataRequest) => row.subject_name ?? row.subject

const requests = defineList({
  name: 'data-requests',
  call: 'listDataRequests',
  api: requestsApi,
  to: '/dashboard/governance/requests',
  key: Ulid,
  title: msg`Data subject requests`,
  icon: 'user',
  columns: [
    column.name('subject', msg({ context: 'request of a person', message: 'About' }), getSubject, {
      width: 170,
      grow: 2,
      csv: [
        { label: msg({ context: 'request of a person', message: 'About' }), value: getSubject },
        { label: msg`Reference`, value: (row) => row.subject },
      ],
    }),
    column.drawn('state', msg`State`, ({ row }) => <RequestState request={row} />, {
      width: 128,
      stacked: 'end',
    }),
    column.drawn(
      'due_at',
      msg({ context: 'request of a person', message: 'Due' }),
      ({ row }) => <DueAt request={row} />,
      { width: 160, stacked: 'line' },
    ),
    column.word(
      'kind',
      msg({ context: 'request of a person', message: 'Request type' }),
      KIND_WORDS,
      (row) => row.kind,
      { width: 150, stacked: 'line' },
    ),
    column.word('subject_type', msg`Kind`, SUBJECT_WORDS, (row) => row.subject_type, { width: 150 }),
    column.text('law', msg({ context: 'request of a person', message: 'Law' }), { width: 76 }),
    column.moment('received_at', msg({ context: 'request of a person', message: 'Received' })),
    column.text(
      'opened_by',
      msg({ context: 'request of a person', message: 'Recorded by' }),
      (row) => authorName(row, 'opened_by'),
      { width: 124 },
    ),
  ],
  filters: [
    wordFilter('state', msg`State`, STATE_WORDS, { isSingle: true }),
    wordFilter('kind', msg({ context: 'request of a person', message: 'Request type' }), KIND_WORDS, {
      isSingle: true,
    }),
  ],
  views: [{ name: 'open', label: msg({ context: 'requests', message: 'Open' }), search: { state: 'Open' } }],
  noMatch: msg({ context: 'requests of people', message: 'No requests match' }),
  empty: {
    title: msg`No requests yet`,
    description: msg`Record requests for access, copies or erasure here. Each has a deadline and a report of stored data.`,
  },
  isUnchanged: true,
  getKey: (row) => row.data_request_id,
  rowTitle: getSubject,
  detail: ({ data_request_id }) => ({
    to: '/dashboard/governance/requests',
    search: { request: data_request_id } as never,
  }),
  records: {
    Drawer: lazy(() => import('./request-dialog.tsx')),
    create: {
      label: msg({ context: 'request of a person', message: 'Record a request' }),
      action: 'account.data_requests:create',
    },
    isOnlyCreated: true,
  },
})

const route = getRouteApi('/dashboard/governance/requests')

/** `/dashboard/governance/requests`: data subject requests; with `?request=` one of them. */
export default function Requests() {
  const { request } = route.useSearch()
  const read = Ulid.safeParse(request)
  return read.success ? (
    <RequestPage key={read.data} data_request_id={read.data} />
  ) : (
    <ListPage list={requests} />
  )
}
