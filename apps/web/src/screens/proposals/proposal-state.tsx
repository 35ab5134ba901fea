import type { Proposal, ProposalState as State } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PROPOSAL_STATE_WORDS } from './proposal-words.ts'

const LOOKS: Readonly<Record<State, [color: string, icon: IconName]>> = {
  waiting: ['orange', 'clock'],
  confirmed: ['teal', 'check'],
  rejected: ['red', 'x'],
  withdrawn: ['gray', 'x'],
  superseded: ['gray', 'warning'],
  expired: ['gray', 'clock'],
}

/** State of a proposal. */
export function ProposalState({ proposal: { state } }: { proposal: Pick<Proposal, 'state'> }) {
  const { i18n } = useLingui()
  const [color, icon] = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      {i18n._(PROPOSAL_STATE_WORDS[state])}
    </Badge>
  )
}
