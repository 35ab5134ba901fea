import type { ProposalState } from '@custodia/contract'

/** What becomes of an act that waits for a second person (reading-the-spec: two people). Whatever the act is, these rules are the same. */

/** How long a proposal waits. */
export const PROPOSAL_SECONDS = 7 * 86_400

/** What decides how a proposal stands; times in epoch seconds by the clock of the database. */
export interface Proposal {
  state: ProposalState
  proposed_by: string
  proposed_at: number
}

export type ProposalAction = 'confirm' | 'reject' | 'withdraw'

/** Whoever wishes something of a proposal. */
export interface ProposalParty {
  /** Who they are, spelled as `proposed_by` is: of two sessions of somebody, both are them. */
  by: string
  /** A client app takes no part. */
  kind: 'person' | 'app'
  /** Whether they may do by themselves, now, what is proposed. */
  may_act: boolean
}

export interface ProposalFacts {
  now: number
  /** For `reject`. */
  reason?: string | undefined
  /** For `confirm`: whether what it was about is still as it was when it was proposed. */
  is_current?: boolean | undefined
}

export type ProposalRefusal =
  | 'no_person'
  | 'not_permitted'
  | 'not_waiting'
  | 'same_person'
  | 'not_proposer'
  | 'reason_required'

export type ProposalMove =
  | { ok: true; state: Exclude<ProposalState, 'waiting' | 'expired'>; acts: boolean }
  | { ok: false; code: ProposalRefusal }

/** The state at a moment: what waited for its seven days has expired, whether or not that was written down. */
export const proposalStateAt = ({ state, proposed_at }: Proposal, now: number): ProposalState =>
  state === 'waiting' && now >= proposed_at + PROPOSAL_SECONDS ? 'expired' : state

/**
 * What a wish makes of a proposal, or why it is refused. Where `acts`, the act is to be done in the transaction that writes the state, with
 * the proposal's row locked: only what waits leads there, so it is done once.
 */
export function moveProposal(
  proposal: Proposal,
  request: ProposalAction,
  { by, kind, may_act }: ProposalParty,
  { now, reason, is_current }: ProposalFacts,
): ProposalMove {
  const refused = (code: ProposalRefusal): ProposalMove => ({ ok: false, code })
  if (kind !== 'person') return refused('no_person')
  const isProposer = by === proposal.proposed_by
  if (request === 'withdraw' && !isProposer) return refused('not_proposer')
  // Who lost the permission may still take back what they proposed.
  if (request !== 'withdraw' && !may_act) return refused('not_permitted')
  if (request !== 'withdraw' && isProposer) return refused('same_person')
  if (proposalStateAt(proposal, now) !== 'waiting') return refused('not_waiting')
  if (request === 'withdraw') return { ok: true, state: 'withdrawn', acts: false }
  if (request === 'reject')
    return reason?.trim() ? { ok: true, state: 'rejected', acts: false } : refused('reason_required')
  // Nobody said that it is: then it is not.
  return is_current === true
    ? { ok: true, state: 'confirmed', acts: true }
    : { ok: true, state: 'superseded', acts: false }
}
