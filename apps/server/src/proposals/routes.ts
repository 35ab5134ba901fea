import { PROPOSAL_ACTIONS, type Proposal, type ProposalKind } from '@custodia/contract'
import { moveProposal, type ProposalRefusal, type ProposalAction } from '@custodia/domain'
import type { AccessCache } from '../access/load.ts'
import { accessAnywhere } from '../access/person-rights.ts'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { openReason, type SealedReason, sealReason } from '../reasons/reasons.ts'
import { getDeciders, endAs, isSame } from './end.ts'
import { getKind, getSignIn } from './propose.ts'
import { switchingRule } from './rule.ts'
import {
  countProposals,
  type DeferredAct,
  type DeferredActs,
  findProposal,
  findProposalReasons,
  hiddenFrom,
  listProposals,
  lockProposal,
  type ProposalPlace,
  type StoredProposal,
} from './store.ts'

type Parts = Pick<AppContext, 'cursors' | 'keys' | 'log'>
/** Acts that depend on who confirms them. */
type ActsOfCaller = Pick<DeferredActs, 'ChangeIdentityProvider'>
type Calls = 'listProposals' | 'readProposal' | 'confirmProposal' | 'rejectProposal' | 'withdrawProposal'

/**
 * Handlers of proposals. `acts` are the acts of all nouns, `actsOfCaller` those that depend on the confirming person.
 * `getRoles` finds what the proposer has now.
 */
export function proposalRoutes(
  ctx: Parts,
  access: AccessCache,
  acts: Partial<Omit<DeferredActs, 'RequireTwoPeople' | keyof ActsOfCaller>>,
  actsOfCaller: (caller: PortalContext['caller']) => ActsOfCaller,
  getRoles: FindRoles,
): Handlers<Calls> {
  const isAllowed = isProposerAllowed(access, getRoles)
  const renew: Decision['renew'] = (tx, context) => access.renew(tx, context)
  const getActs = ({ caller, ip }: PortalContext): Partial<DeferredActs> => ({
    ...acts,
    ...actsOfCaller(caller),
    RequireTwoPeople: switchingRule(access, ip),
  })
  return {
    listProposals: list(ctx),
    readProposal: read(ctx),
    confirmProposal: (context, { params }) =>
      decide(context, getActs(context), params.proposal_id, { request: 'confirm', isAllowed, renew }),
    rejectProposal: async (context, { params, body }) => {
      const reason = await sealReason(ctx, context.caller.client, body.reason)
      return decide(context, getActs(context), params.proposal_id, { request: 'reject', reason, renew })
    },
    withdrawProposal: (context, { params }) =>
      decide(context, getActs(context), params.proposal_id, { request: 'withdraw', renew }),
  }
}

function list({ cursors }: Parts): Handler<'listProposals'> {
  return async ({ caller: { client_id, access }, readFromReplica }, { query }) => {
    const filter = { ...query, hidden: hiddenFrom(access) }
    if (query.type === 'total') return { total: await readFromReplica((q) => countProposals(q, filter)) }
    return getPage<Proposal, ProposalPlace>(
      cursors,
      { name: 'proposals', client_id, query },
      (after, limit) => readFromReplica((q) => listProposals(q, filter, { after, limit })),
      ({ proposed_at, proposal_id }) => [proposed_at, proposal_id],
    )
  }
}

/** A proposal with its reasons. Problem: not_found. */
function read(ctx: Parts): Handler<'readProposal'> {
  return async ({ caller: { client, access }, readFromReplica }, { params: { proposal_id } }) => {
    const { found, reasons } = await readFromReplica(async (q) => ({
      found: (await findProposal(q, proposal_id)) ?? missing(),
      reasons: await findProposalReasons(q, proposal_id),
    }))
    if (hiddenFrom(access).includes(found.act.kind)) missing()
    return {
      ...toResponse(found),
      reason: await openReason(ctx, client, reasons.proposed),
      rejected_reason: await openReason(ctx, client, reasons.rejected),
    }
  }
}

const REFUSALS = {
  no_person: 'person_required',
  not_permitted: 'not_permitted',
  not_waiting: 'wrong_state',
  same_person: 'same_person',
  not_proposer: 'not_permitted',
  reason_required: 'invalid_input',
} as const satisfies Record<ProposalRefusal, Problem['code']>

/** Roles and groups that a person has now, as far as they are known; undefined: there is no such person. */
type FindRoles = (
  q: Queryable,
  user_reference: string,
  now: number,
) => Promise<{ roles: readonly { role: string }[]; groups: readonly string[] | null } | undefined>

/** Whether a proposer may still do what they proposed. */
const isProposerAllowed =
  (access: AccessCache, getRoles: FindRoles) =>
  async (
    tx: Tx,
    { act, proposed_by, now }: StoredProposal & { now: number },
    { mayGrant }: Pick<DeferredAct<ProposalKind>, 'mayGrant'>,
  ): Promise<boolean> => {
    const rights = await access.getRights(tx)
    const { roles = [], groups = null } = (await getRoles(tx, proposed_by, now)) ?? {}
    const own = accessAnywhere(rights, roles, groups)
    if (!own.may(PROPOSAL_ACTIONS[act.kind])) return false
    const proposer = { roles: roles.map(({ role }) => role), groups, access: own }
    return (await mayGrant?.(rights, proposer, act, tx)) ?? true
  }

interface Decision {
  request: ProposalAction
  reason?: SealedReason
  isAllowed?: ReturnType<typeof isProposerAllowed>
  renew: AccessCache['renew']
}

/** Ends a proposal, and does its act if it was confirmed. Problems: not_found and those of `REFUSALS`. */
async function decide(
  context: PortalContext,
  acts: Partial<DeferredActs>,
  proposal_id: string,
  { request, reason, isAllowed, renew }: Decision,
): Promise<Proposal> {
  const { caller, write } = context
  const by = getActor(caller)
  return write(async (tx) => {
    const known = (await findProposal(tx, proposal_id)) ?? missing()
    const act = acts[known.act.kind] as DeferredAct<typeof known.act.kind> | undefined
    if (!act) throw new Problem('wrong_state', { detail: 'this server cannot do the act' })
    // The subject is locked before the proposal, as in the proposing call, which prevents deadlocks.
    const basis = request === 'confirm' ? await act.getBasis(tx, known.act as never) : undefined
    const proposal = (await lockProposal(tx, proposal_id)) ?? missing()
    await renew(tx, context)
    // Proposals of the provider's staff have no such part.
    const isOfClient = 'proposer_sign_in' in proposal.basis
    const signIn = isOfClient ? await getSignIn(caller, tx) : {}
    const isStillAllowed = !isOfClient || !isAllowed || (await isAllowed(tx, proposal, act))
    const action = PROPOSAL_ACTIONS[proposal.act.kind]
    const moved = moveProposal(
      proposal,
      request,
      { by, kind: getKind(caller), may_act: caller.access.may(action) },
      {
        now: proposal.now,
        is_current: basis !== undefined && isSame({ ...basis, ...signIn }, proposal.basis) && isStillAllowed,
        ...(reason && { reason: reason.reason_id }),
      },
    )
    if (!moved.ok) throw new Problem(REFUSALS[moved.code], { detail: moved.code })
    if (moved.acts) await act.carryOut(tx, proposal.act as never, getDeciders(proposal, by))
    await endAs(tx, proposal, { state: moved.state, by, reason })
    return toResponse((await findProposal(tx, proposal_id)) ?? missing())
  })
}

const toResponse = ({
  basis: _basis,
  reason_id: _reason,
  sealed: _sealed,
  ...proposal
}: StoredProposal): Proposal => proposal

function missing(): never {
  throw new Problem('not_found', { detail: 'no such proposal' })
}
