import type { Tx } from '../ports/database/lease.ts'
import { keepReason, type SealedReason } from '../reasons/reasons.ts'
import { settleProposal } from './propose.ts'
import { type Basis, type DeferredAct, type Deciders, endProposal, type StoredProposal } from './store.ts'

type LockedProposal = StoredProposal & { now: number }

/** Whether what a proposal is about is still as it was when it was proposed. */
export const isSame = (a: Basis, b: Basis): boolean =>
  Object.keys({ ...a, ...b }).every((name) => a[name] !== undefined && a[name] === b[name])

/** Who does the act of a proposal, when `by` is the second of them. */
export const getDeciders = (
  { proposal_id, proposed_by, reason_id, sealed, now }: LockedProposal,
  by: string,
): Deciders => ({ proposal_id, by: proposed_by, confirmed_by: by, reason_id, sealed, now })

/** Ends a proposal that waits, and the alert about it; it must be locked. */
export async function endAs(
  tx: Tx,
  { proposal_id, now }: LockedProposal,
  { state, by, reason }: { state: StoredProposal['state']; by: string; reason?: SealedReason | undefined },
): Promise<void> {
  await endProposal(tx, proposal_id, { state, by, rejected_reason_id: await keepReason(tx, reason) })
  await settleProposal(tx, proposal_id, now)
}

/**
 * Carries out a confirmed act at its scheduled time; superseded if its subject has changed. `basis` locks the
 * subject, the caller the proposal.
 */
export async function carryOutFor<A extends StoredProposal['act']>(
  tx: Tx,
  proposal: LockedProposal & { act: A },
  act: DeferredAct<A['kind']>,
  { basis, by }: { basis: Basis | undefined; by: string },
): Promise<void> {
  const isCurrent = basis !== undefined && isSame(basis, proposal.basis)
  if (isCurrent) await act.carryOut(tx, proposal.act as never, getDeciders(proposal, by))
  await endAs(tx, proposal, { state: isCurrent ? 'confirmed' : 'superseded', by })
}
