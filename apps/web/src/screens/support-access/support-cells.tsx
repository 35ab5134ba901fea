import type { ApprovalState, SupportAccess } from '@custodia/contract'
import { stateAt } from '@custodia/domain/can'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { APPROVAL_STATE_WORDS } from '../../components/support-access/support-access.tsx'
import { SpecWord } from '../../components/words/spec-word.tsx'
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
