import { APPROVAL_STATES, supportAccessEndpoints, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { APPROVAL_STATE_WORDS } from '../../components/words/approval-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { supportColumns } from './support-columns.ts'

const requests = defineList({
  name: 'support-access',
  call: 'listSupportAccess',
  row: supportAccessEndpoints.listSupportAccess,
  ask: api.listSupportAccess,
  to: '/dashboard/account/support-access',
  key: Ulid,
  title: msg`Support access`,
  icon: 'lifebuoy',
  columns: supportColumns,
  filters: [
    {
      kind: 'choice',
      name: 'states',
      label: msg`State`,
      useOptions: wordOptions(APPROVAL_STATE_WORDS, APPROVAL_STATES),
    },
  ],
  views: [
    { name: 'pending', label: msg`Waiting for an answer`, search: { states: ['pending'] } },
    { name: 'approved', label: msg`In force`, search: { states: ['approved'] } },
  ],
  noMatch: msg`No requests match`,
  empty: {
    title: msg`Nobody has asked for access`,
    description: msg`Staff of your provider cannot see your account. When they need to, for instance to look into a problem, their request appears here with its reason, role and time, and you approve or reject it. You can revoke what you approved at any moment.`,
  },
  keyOf: ({ request_reference }) => request_reference,
  csvAlways: [{ label: msg`Reference`, value: ({ request_reference }) => request_reference }],
  Preview: lazy(() => import('./support-preview.tsx')),
})

/** `/dashboard/account/support-access`: the provider's requests for access, and decisions. */
export const SupportAccess = () => <ListPage list={requests} />
