import { type ApprovalState, stateAt, type SupportAccess } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { APPROVAL_STATE_WORDS } from '../../components/words/approval-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Moment, Plain } from '../../components/cells.tsx'
import { useNow } from '../../ui/use-now.ts'

interface CellProps {
  row: SupportAccess
}

const LOOKS = {
  pending: { color: 'orange', icon: 'clock' },
  approved: { color: 'teal', icon: 'check' },
  rejected: { color: 'red', icon: 'x' },
  revoked: { color: 'red', icon: 'lock' },
  canceled: { color: 'gray', icon: 'x' },
  expired: { color: 'gray', icon: 'history' },
} as const satisfies Record<ApprovalState, { color: string; icon: IconName }>

/** A state as icon, word and colour (spec section 4). */
export const ApprovalBadge = ({ state }: { state: ApprovalState }) => (
  <Badge color={LOOKS[state].color} leftSection={<Icon name={LOOKS[state].icon} size={13} />}>
    <SpecWord value={state} words={APPROVAL_STATE_WORDS} />
  </Badge>
)

export const StateCell = ({ row }: CellProps) => <ApprovalBadge state={stateAt(row, useNow())} />
export const RoleCell = ({ row }: CellProps) => <strong title={row.role}>{row.role}</strong>
export const DescriptionCell = ({ row }: CellProps) => <Plain value={row.request_description} />
export const ByCell = ({ row }: CellProps) => <Plain value={row.requested_by} />
export const AtCell = ({ row }: CellProps) => <Moment at={row.requested_at} />
export const UntilCell = ({ row }: CellProps) => <Moment at={row.requested_expiry} />
export const ApprovedByCell = ({ row }: CellProps) => <Plain value={row.approved_by} />
export const ApprovedUntilCell = ({ row }: CellProps) => <Moment at={row.approval_expiry} />
export const ReasonCell = ({ row }: CellProps) => <Plain value={row.rejection_reason} />
