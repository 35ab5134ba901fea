import {
  PROPOSAL_ACTIONS,
  type Proposal,
  type ProposalKind,
  type ProposalState,
  type ProposalAnswer,
  type ProposedAct,
} from '@custodia/contract'
import { type Access, PROPOSAL_SECONDS } from '@custodia/domain'
import { mayKnowHolds } from '../access/holds.ts'
import type { Rights } from '../access/rights.ts'
import { clientColumn } from '../clients/store.ts'
import { PERSON_NAME } from '../device-records/names-store.ts'
import { CLOCK } from '../held-records/store.ts'
import { newId } from '../http/new-id.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedReason } from '../reasons/reasons.ts'

export type ActOf<K extends ProposalKind> = Extract<ProposedAct, { kind: K }>

/** Who does an act that two people decide: the history names both. */
export interface Deciders {
  proposal_id: string
  by: string
  confirmed_by: string
  /** Why, as it was kept when it was proposed. */
  reason_id: string | null
  /** Its sealed secrets, as stored with the proposal. */
  sealed: SealedSecrets | null
  /** Epoch seconds by the clock of the database. */
  now: number
}

/** How the product does an act of a kind after a second person has confirmed it. */
export interface DeferredAct<K extends ProposalKind> {
  /**
   * Locks the subject and reads its state, to compare with the proposed one. Undefined if the act has nothing left to
   * do.
   */
  getBasis(tx: Tx, act: ActOf<K>): Promise<Basis | undefined>
  /** Whether the proposer may still grant what the act gives. Absent: its action is enough. */
  mayGrant?(rights: Rights, proposer: Proposer, act: ActOf<K>, tx: Tx): boolean | Promise<boolean>
  /** Does the act; its subject is locked. */
  carryOut(tx: Tx, act: ActOf<K>, as: Deciders): Promise<void>
}

/** What a person who proposed an act has now, from any network. */
export interface Proposer {
  roles: readonly string[]
  groups: readonly string[] | null
  access: Access
}
export type DeferredActs = { readonly [K in ProposalKind]: DeferredAct<K> }

/** The state of a subject: any change of it makes a proposal obsolete. */
export type Basis = Readonly<Record<string, number | string>>

/** Secrets, sealed, in base64. */
export type SealedSecrets = Readonly<Record<string, string | null>>

export interface ProposalInput<K extends ProposalKind = ProposalKind> {
  /** The subject; each kind and subject has one pending proposal at most. */
  subject: string
  act: ActOf<K>
  basis: Basis
  by: string
  reason_id: string | null
  sealed?: SealedSecrets
}

export interface StoredProposal extends Proposal {
  basis: Basis
  reason_id: string | null
  sealed: SealedSecrets | null
}

const STATE = `case when p.state = 'waiting' and p.proposed_at + ${PROPOSAL_SECONDS} <= ${CLOCK} then 'expired' else p.state end`
const COLUMNS = `${clientColumn('p.client_id')}, p.proposal_id, ${STATE} as state, p.proposed_at, p.proposed_by,
  p.proposed_at + ${PROPOSAL_SECONDS} as expires_at, p.decided_at, p.decided_by, i.seconded_by, i.takes_effect_at,
  coalesce(p.decided_by, i.seconded_by, p.proposed_by) as updated_by,
  p.act || jsonb_build_object('kind', p.kind) || case when p.act ->> 'target_type' = 'DeviceUser' then jsonb_build_object('target_name', (
    select ${PERSON_NAME('u')} from device_users u where u.client_id = p.client_id and u.device_user_reference = p.act ->> 'target')) else '{}' end as act`

/** Proposals with what the provider's staff add to those of identity providers. */
const FROM =
  'proposals p left join identity_changes i on i.client_id = p.client_id and i.proposal_id = p.proposal_id'

/** Keeps the rule from changing until the transaction ends. */
const SHARED = `select pg_advisory_xact_lock_shared(hashtextextended('two people:' || $1::text, 0))`
const ALONE = `select pg_advisory_xact_lock(hashtextextended('two people:' || $1::text, 0))`

/** Whether the account requires a second person; fixed until the transaction ends. */
export async function needsSecond(tx: Tx): Promise<boolean> {
  await tx.query(SHARED, [tx.client_id])
  return (await findRule(tx))?.is_required ?? false
}

/** Whether acts require a second person, with the last decision. */
export interface TwoPeopleRule {
  version: number
  is_required: boolean
  at: number
  by: string
  confirmed_by: string
}

/** The current rule; undefined if it was never switched. */
export function findRule(q: Queryable): Promise<TwoPeopleRule | undefined> {
  return q.row<TwoPeopleRule>(
    'select version, is_required, at, by, confirmed_by from dual_control_versions where client_id = $1 order by version desc limit 1',
    [q.client_id],
  )
}

/** Locks the rule against use and change until the transaction ends. */
export async function lockRule(tx: Tx): Promise<void> {
  await tx.query(ALONE, [tx.client_id])
}

/** Switches the rule; it must be locked. */
export async function insertRule(
  tx: Tx,
  { is_required, by, confirmed_by }: Pick<TwoPeopleRule, 'is_required' | 'by' | 'confirmed_by'>,
): Promise<void> {
  await tx.query(
    `insert into dual_control_versions (client_id, version, is_required, at, by, confirmed_by)
     select $1, coalesce(max(version), 0) + 1, $2, greatest(${CLOCK}, max(at)), $3, $4 from dual_control_versions where client_id = $1`,
    [tx.client_id, is_required, by, confirmed_by],
  )
}

/** Inserts a proposal; the subject must be locked. Undefined if the same one is pending. */
export async function insertProposal(tx: Tx, request: ProposalInput): Promise<ProposalAnswer | undefined> {
  const { kind, ...act } = request.act
  await tx.query(
    `update proposals set state = 'expired', sealed = null, decided_at = proposed_at + ${PROPOSAL_SECONDS}
     where client_id = $1 and kind = $2 and subject = $3 and state = 'waiting' and proposed_at + ${PROPOSAL_SECONDS} <= ${CLOCK}`,
    [tx.client_id, kind, request.subject],
  )
  return tx.row<ProposalAnswer>(
    `insert into proposals (client_id, proposal_id, kind, subject, act, basis, proposed_at, proposed_by, reason_id, sealed)
     values ($1, $2, $3, $4, $5::jsonb, $6::jsonb, ${CLOCK}, $7, $8, $9::jsonb)
     on conflict (client_id, kind, subject) where state = 'waiting' do nothing
     returning proposal_id, proposed_at, proposed_at + ${PROPOSAL_SECONDS} as expires_at`,
    [
      tx.client_id,
      newId(),
      kind,
      request.subject,
      JSON.stringify(act),
      JSON.stringify(request.basis),
      request.by,
      request.reason_id,
      request.sealed ? JSON.stringify(request.sealed) : null,
    ],
  )
}

/** Which proposals a list shows. */
export interface ProposalFilter {
  state?: ProposalState | undefined
  kind?: ProposalKind | undefined
  /** Kinds that the reader may not see. */
  hidden: readonly ProposalKind[]
}
const FILTER = `p.client_id = $1 and ($2::text is null or ${STATE} = $2) and ($3::text is null or p.kind = $3) and p.kind <> all($4::text[])`
const getValues = (q: Queryable, { state, kind, hidden }: ProposalFilter) => [
  q.client_id,
  state ?? null,
  kind ?? null,
  hidden,
]

/** Kinds that name held people. */
const ABOUT_HOLDS: readonly ProposalKind[] = ['ReleaseHold', 'ReleaseMatterPerson', 'CloseMatter']

/**
 * Kinds that the caller may not see: proposals that name held people need the right to know of holds or to do the
 * act.
 */
export const hiddenFrom = (access: Pick<Access, 'allowsGroupless'>): readonly ProposalKind[] =>
  mayKnowHolds(access) ? [] : ABOUT_HOLDS.filter((kind) => !access.allowsGroupless(PROPOSAL_ACTIONS[kind]))

/** Cursor of a list of proposals. */
export type ProposalPlace = readonly [proposed_at: number, proposal_id: string]

/** Proposals behind a place, the newest first. */
export function listProposals(
  q: Queryable,
  filter: ProposalFilter,
  { after, limit }: { after: ProposalPlace | undefined; limit: number },
): Promise<Proposal[]> {
  return q.rows<Proposal>(
    `select ${COLUMNS} from ${FROM} where ${FILTER} and ($5::bigint is null or (p.proposed_at, p.proposal_id) < ($5, $6::text))
     order by p.proposed_at desc, p.proposal_id desc limit $7`,
    [...getValues(q, filter), ...(after ?? [null, null]), limit],
  )
}

/** How many proposals pass the filter. */
export function countProposals(q: Queryable, filter: ProposalFilter): Promise<number> {
  return q.count(`select count(*)::int as total from proposals p where ${FILTER}`, getValues(q, filter))
}

const one = (also = '') =>
  `select ${COLUMNS}, p.basis, p.reason_id, p.sealed${also} from ${FROM} where p.client_id = $1 and p.proposal_id = $2`

/** One proposal. */
export function findProposal(q: Queryable, proposal_id: string): Promise<StoredProposal | undefined> {
  return q.row<StoredProposal>(one(), [q.client_id, proposal_id])
}

/** Locks one proposal until the transaction ends, and reads the database clock. */
export function lockProposal(
  tx: Tx,
  proposal_id: string,
): Promise<(StoredProposal & { now: number }) | undefined> {
  return tx.row<StoredProposal & { now: number }>(`${one(`, ${CLOCK} as now`)} for update of p`, [
    tx.client_id,
    proposal_id,
  ])
}

/** Ends a proposal that waits; it must be locked. */
export async function endProposal(
  tx: Tx,
  proposal_id: string,
  end: { state: ProposalState; by: string; rejected_reason_id: string | null },
): Promise<void> {
  await tx.query(
    `update proposals set state = $3, decided_at = greatest(${CLOCK}, proposed_at), decided_by = $4, rejected_reason_id = $5, sealed = null
     where client_id = $1 and proposal_id = $2`,
    [tx.client_id, proposal_id, end.state, end.by, end.rejected_reason_id],
  )
}

/**
 * Ends the pending proposal of a kind and subject because the subject changed: the actor's own proposal is withdrawn,
 * another person's is superseded. The subject must be locked.
 */
export function supersedeProposal(
  tx: Tx,
  { kind, subject }: { kind: ProposalKind; subject: string },
  by: string,
): Promise<{ proposal_id: string; decided_at: number } | undefined> {
  return tx.row<{ proposal_id: string; decided_at: number }>(
    `update proposals set state = case when proposed_by = $4 then 'withdrawn' else 'superseded' end,
       decided_at = greatest(${CLOCK}, proposed_at), decided_by = $4, sealed = null
     where client_id = $1 and kind = $2 and subject = $3 and state = 'waiting' and proposed_at + ${PROPOSAL_SECONDS} > ${CLOCK}
     returning proposal_id, decided_at`,
    [tx.client_id, kind, subject, by],
  )
}

/** Why something was proposed, and why it was rejected, still sealed. */
export async function findProposalReasons(
  q: Queryable,
  proposal_id: string,
): Promise<{ proposed: SealedReason | null; rejected: SealedReason | null }> {
  const { rows } = await q.query<SealedReason & { is_rejection: boolean }>(
    `select r.reason_id, r.sealed_reason, r.wrapped_key, r.reason_id is not distinct from p.rejected_reason_id as is_rejection
     from proposals p join legal_hold_reasons r on r.client_id = p.client_id and r.reason_id in (p.reason_id, p.rejected_reason_id)
     where p.client_id = $1 and p.proposal_id = $2`,
    [q.client_id, proposal_id],
  )
  const of = (is: boolean) => rows.find(({ is_rejection }) => is_rejection === is) ?? null
  return { proposed: of(false), rejected: of(true) }
}

/** A person with a recent sign-in, with the rights of that sign-in. */
export interface RecentApprover {
  user_reference: string
  roles: string[]
  groups: string[] | null
}

/** People who signed in within so many days. Temporary access does not count. */
export function findLatelyHere(q: Queryable, days: number): Promise<RecentApprover[]> {
  return q.rows<RecentApprover>(
    `select distinct on (user_reference) user_reference, roles, groups from portal_sessions s
     where client_id = $1 and created_at > ${CLOCK} - $2::int * 86400 and not exists (
       select from role_assignments a where a.client_id = $1 and a.user_reference = s.user_reference and a.ends_at is not null)
     order by user_reference, created_at desc`,
    [q.client_id, days],
  )
}

/** The permissions of which two people are needed. */
export const DECIDED_ACTIONS = [...new Set(Object.values(PROPOSAL_ACTIONS))].filter(
  // Of its two people one is of the provider.
  (action) => action !== PROPOSAL_ACTIONS.ChangeIdentityProvider,
)
