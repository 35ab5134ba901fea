import { APPROVAL_STATES, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { linkOptions } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { APPROVAL_STATE_WORDS } from '../../components/support-access/support-access.tsx'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { getRequester, supportColumns } from './support-columns.tsx'

const requests = defineList({
  name: 'support-access',
  call: 'listSupportAccess',
  api,
  to: '/dashboard/account/support-access',
  key: Ulid,
  title: msg`Support access`,
  icon: 'lifebuoy',
  columns: supportColumns,
  filters: [wordFilter('states', msg`State`, APPROVAL_STATE_WORDS, { values: APPROVAL_STATES })],
  views: [
    { name: 'pending', label: msg`Awaiting a decision`, search: { states: ['pending'] } },
    { name: 'approved', label: msg`In force`, search: { states: ['approved'] } },
  ],
  noMatch: msg`No requests match`,
  empty: {
    title: msg`No access requests`,
    description: msg`Your provider’s staff cannot see your account. Requests for access appear here for your approval; you can revoke it at any time.`,
  },
  getKey: ({ request_reference }) => request_reference,
  rowTitle: getRequester,
  detail: ({ request_reference }) =>
    linkOptions({
      to: '/dashboard/account/support-access/$request_reference',
      params: { request_reference },
    }),
  csvAlways: [{ label: msg`Reference`, value: ({ request_reference }) => request_reference }],
})

/** `/dashboard/account/support-access`: the provider's requests for access, and decisions. */
export const SupportAccess = () => <ListPage list={requests} />
