import type { Proposal, ProposalState as State } from '@custodia/contract'
import { type BadgeStyles, WordBadge } from '../../components/words/spec-word.tsx'
import { PROPOSAL_STATE_WORDS } from './proposal-words.ts'

const STYLES: BadgeStyles<State> = {
  waiting: { color: 'orange', icon: 'clock' },
  confirmed: { color: 'teal', icon: 'check' },
  rejected: { color: 'red', icon: 'x' },
  withdrawn: { color: 'gray', icon: 'x' },
  superseded: { color: 'gray', icon: 'warning' },
  expired: { color: 'gray', icon: 'clock' },
}

/** State of a proposal. */
export function ProposalState({ proposal: { state } }: { proposal: Pick<Proposal, 'state'> }) {
  return <WordBadge value={state} words={PROPOSAL_STATE_WORDS} styles={STYLES} />
}
