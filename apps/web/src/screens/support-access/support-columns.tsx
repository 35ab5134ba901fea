import type { ApprovalState, SupportAccess } from '@custodia/contract'
import { stateAt } from '@custodia/domain/can'
import { msg } from '@lingui/core/macro'
import { getColumns } from '../../components/lists/columns.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { APPROVAL_STATE_WORDS } from '../../components/support-access/support-access.tsx'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'
import { useNow } from '../../ui/use-now.ts'
import { authorName, visible } from '../../ui/visible.ts'

interface CellProps {
  row: SupportAccess
}

const STYLES: BadgeStyles<ApprovalState> = {
  pending: { color: 'orange', icon: 'clock' },
  approved: { color: 'teal', icon: 'check' },
  rejected: { color: 'red', icon: 'x' },
  revoked: { color: 'red', icon: 'lock' },
  canceled: { color: 'gray', icon: 'x' },
  expired: { color: 'gray', icon: 'history' },
}

/** A state as icon, word and colour (spec section 4). */
export const ApprovalBadge = ({ state }: { state: ApprovalState }) => (
  <WordBadge value={state} words={APPROVAL_STATE_WORDS} styles={STYLES} />
)

/** The requester by name; without one, by sign-in name. */
export const getRequester = ({
  requester_name,
  requested_by,
}: Pick<SupportAccess, 'requester_name' | 'requested_by'>): string => visible(requester_name ?? requested_by)

const StateCell = ({ row }: CellProps) => <ApprovalBadge state={stateAt(row, useNow())} />

const column = getColumns<SupportAccess>()

export const supportColumns: readonly ListColumn<SupportAccess>[] = [
  column.name('role', msg`Role`, { width: 130 }),
  column.drawn('state', msg`State`, StateCell, (row) => row.approval_state, { width: 116, stacked: 'line' }),
  column.text('description', msg`Description`, (row) => row.request_description, { width: 160, grow: 2.4 }),
  column.text('by', msg`Requested by`, getRequester, { width: 106, grow: 1, stacked: 'line' }),
  column.moment('at', msg`Requested at`, (row) => row.requested_at, { stacked: 'end' }),
  column.moment('until', msg`Requested until`, (row) => row.requested_expiry),
  column.text('approved-by', msg`Approved by`, (row) => authorName(row, 'approved_by'), {
    width: 110,
    grow: 1,
  }),
  column.moment('approved-until', msg`Approved until`, (row) => row.approval_expiry),
  column.text('reason', msg`Reason for rejection`, (row) => row.rejection_reason, {
    width: 150,
    grow: 1.2,
    isOptional: true,
  }),
]
