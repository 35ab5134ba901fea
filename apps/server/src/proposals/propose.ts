import type { ProposalKind, ProposalAnswer } from '@custodia/contract'
import { raiseAlert, settleAlert } from '../alerts/raise.ts'
import { readOwnClient } from '../clients/store.ts'
import { getActor, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Basis, insertProposal, needsSecond, supersedeProposal, type ProposalInput } from './store.ts'

type ProposalContext = Pick<PortalContext, 'caller' | 'reply' | 'now'>

/**
 * Stores a proposal where the account requires a second person; undefined where it does not, and the caller acts at
 * once. The subject must be locked already. Problems: person_required, for apps; already_proposed.
 */
export async function proposeIfAsked<K extends ProposalKind>(
  asking: ProposalContext,
  tx: Tx,
  request: () => Promise<Omit<ProposalInput<K>, 'by'>>,
): Promise<ProposalAnswer | undefined> {
  if (!(await needsSecond(tx))) return undefined
  assertPerson(asking.caller)
  return propose(asking, tx, await request())
}

/** Stores a proposal, whatever the account's rule is, and answers 202. Problem: already_proposed. */
export async function propose<K extends ProposalKind>(
  { caller, reply, now }: ProposalContext,
  tx: Tx,
  request: Omit<ProposalInput<K>, 'by'>,
): Promise<ProposalAnswer> {
  const basis = { ...request.basis, ...(await getSignIn(caller, tx)) }
  const proposed = await writeProposal(tx, { ...request, basis, by: getActor(caller) } as ProposalInput, now)
  if (!proposed) throw new Problem('already_proposed')
  void reply.code(202)
  return proposed
}

/**
 * Where people sign in. Another provider calls the proposer by another name, under which they could confirm their own
 * proposal.
 */
export async function getSignIn({ issuer }: ProposalContext['caller'], tx: Tx): Promise<Basis> {
  const client = await readOwnClient(tx)
  return { proposer_sign_in: JSON.stringify([issuer, client?.oidc_client_id]) }
}

/** Stores a proposal and raises its alert; the subject must be locked. Undefined if the same one is pending. */
export async function writeProposal(
  tx: Tx,
  request: ProposalInput,
  now: number,
): Promise<ProposalAnswer | undefined> {
  const proposed = await insertProposal(tx, request)
  if (!proposed) return undefined
  await raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['sec'],
    alert_key: getAlertKey(proposed.proposal_id),
    alert_severity: 'Medium',
    text: 'proposal_waits',
    related_entities: [{ entity_id: proposed.proposal_id, entity_type: 'Proposal' }],
    expires_after: proposed.expires_at,
    now,
  })
  return proposed
}

/**
 * Ends a pending proposal of a kind because its subject changed meanwhile. The subject must be locked; no effect
 * without one.
 */
export async function supersede(
  tx: Tx,
  of: { kind: ProposalKind; subject: string },
  by: string,
): Promise<void> {
  const ended = await supersedeProposal(tx, of, by)
  if (ended) await settleProposal(tx, ended.proposal_id, ended.decided_at)
}

/** Clears the alert about a pending proposal once it is decided. */
export const settleProposal = (tx: Tx, proposal_id: string, now: number): Promise<void> =>
  settleAlert(tx, {
    alert_key: getAlertKey(proposal_id),
    alert_scopes: ['sec'],
    now,
  })

const getAlertKey = (proposal_id: string): string => `proposal ${proposal_id}`

/** Problem: person_required, for apps. */
export function assertPerson(caller: ProposalContext['caller']): void {
  if (getKind(caller) !== 'person') throw new Problem('person_required')
}

/** What a caller is to a proposal. */
export function getKind({ is_client_app }: ProposalContext['caller']): 'person' | 'app' {
  return is_client_app ? 'app' : 'person'
}
