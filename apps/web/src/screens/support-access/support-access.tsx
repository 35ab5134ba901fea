import { APPROVAL_STATES, ApprovalState, type SupportAccess as Request, text, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { lazy } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { APPROVAL_STATE_WORDS } from '../../components/words/approval-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { one, several } from '../../components/lists/list-search.ts'
import { supportColumns } from './support-columns.ts'

const Preview = lazy(() => import('./support-preview.tsx'))

const SupportSearch = z.object({
  states: several(ApprovalState),
  view: one(text(1, 60)),
  preview: one(Ulid),
})
export type SupportSearch = z.output<typeof SupportSearch>

interface Query {
  states?: ApprovalState[] | undefined
}

const useStates = wordOptions(APPROVAL_STATE_WORDS, APPROVAL_STATES)

const requests: ListDefinition<Request, Query> = {
  name: 'support-access',
  call: 'listSupportAccess',
  title: msg`Support access`,
  permission: 'supportaccess:list',
  icon: 'lifebuoy',
  columns: supportColumns,
  filters: [{ kind: 'choice', name: 'states', label: msg`State`, useOptions: useStates }],
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
  queryOf: (search) => ({ states: (search as SupportSearch).states }),
  ...listPages((query: Query, signal) => api.listSupportAccess({ query }, { signal })),
  address: (search) =>
    linkOptions({ to: '/dashboard/account/support-access', search: SupportSearch.parse(search) }),
  csvAlways: [{ label: msg`Reference`, value: ({ request_reference }) => request_reference }],
  Preview,
}

const route = getRouteApi('/dashboard/account/support-access')

/** `/dashboard/account/support-access`: who of the provider's staff asked to come in, and what was said to it. */
export function SupportAccess() {
  return <ListPage list={requests} search={SupportSearch.parse(route.useSearch())} />
}
