import { PROPOSAL_KINDS, type Proposal, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy } from 'react'
import { proposalsApi } from '../../api/governance-api.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { authorName } from '../../ui/visible.ts'
import { ProposalState } from './proposal-state.tsx'
import { actText, PROPOSAL_KIND_WORDS, PROPOSAL_STATE_WORDS } from './proposal-words.ts'
import { TwoPeople } from './two-people.tsx'

const column = getColumns<Proposal>()

const proposals = defineList({
  name: 'proposals',
  isTall: 'stacked',
  call: 'listProposals',
  api: proposalsApi,
  to: '/dashboard/governance/approvals',
  key: Ulid,
  title: msg`Approvals`,
  icon: 'lock',
  columns: [
    column.drawn('act', msg({ context: 'proposal', message: 'What' }), WhatCell, (row) => row.act.kind, {
      width: 216,
      grow: 2,
      stacked: 'lead',
    }),
    column.drawn('state', msg`State`, ({ row }) => <ProposalState proposal={row} />, {
      width: 124,
      stacked: 'end',
    }),
    column.text('proposed_by', msg`Proposed by`, (row) => authorName(row, 'proposed_by'), { width: 150 }),
    column.moment('proposed_at', msg({ context: 'proposal', message: 'Proposed' })),
    column.moment('expires_at', msg`Pending until`),
    column.text('decided_by', msg`Decided by`, (row) => authorName(row, 'decided_by'), { width: 150 }),
    column.moment('decided_at', msg({ context: 'proposal', message: 'Decided' })),
  ],
  filters: [
    wordFilter('state', msg`State`, PROPOSAL_STATE_WORDS, { isSingle: true }),
    wordFilter('kind', msg`Kind`, PROPOSAL_KIND_WORDS, { values: PROPOSAL_KINDS, isSingle: true }),
  ],
  views: [
    {
      name: 'waiting',
      label: msg({ context: 'proposals', message: 'Pending' }),
      search: { state: 'waiting' },
    },
  ],
  noMatch: msg`No proposals match`,
  empty: {
    title: msg`No proposals yet`,
    description: msg`Under dual control, legal hold releases and shorter retention wait here for approval.`,
  },
  isUnchanged: true,
  getKey: (row) => row.proposal_id,
  rowTitle: (row, i18n) => actText(i18n, row.act),
  Preview: lazy(() => import('./proposal-preview.tsx')),
})

/** `/dashboard/governance/approvals`: approvals, and the dual control setting. */
export default function Proposals() {
  const { t } = useLingui()
  return <ListPage list={proposals} head={<PageHeader title={t`Approvals`} actions={<TwoPeople />} />} />
}

function WhatCell({ row }: { row: Proposal }) {
  const { i18n } = useLingui()
  return <span>{actText(i18n, row.act)}</span>
}
