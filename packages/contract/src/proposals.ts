import * as z from 'zod/mini'
import { stored, UpdatedBy } from './access.ts'
import { ClaimMapping } from './claim-mapping.ts'
import { endpoints } from './endpoint.ts'
import { HOLD_TARGETS, HoldReason } from './legal-holds.ts'
import { PersonRolesInput } from './people.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { Proposed } from './proposed.ts'
import { RetentionInput } from './retention.ts'
import {
  ClientReference,
  Count,
  EpochSeconds,
  TransferConfigReference,
  Ulid,
  UserReference,
} from './scalars.ts'
import { TRANSFER_SECRETS, TransferSettings, TransferWidening } from './transfer-configs.ts'

/** What becomes of an act that waits; `superseded`: what it was about had changed since, as who confirmed it learnt, or who held again; nothing was done. */
export const PROPOSAL_STATES = [
  'waiting',
  'confirmed',
  'rejected',
  'withdrawn',
  'superseded',
  'expired',
] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** Acts that wait for a second person, and the permission that both need. */
export const PROPOSAL_ACTIONS = {
  ReleaseHold: 'account.legal_holds:delete',
  ReleaseMatterPerson: 'account.legal_matters:delete',
  CloseMatter: 'account.legal_matters:delete',
  ShortenRetention: 'account.retention:update',
  SaveTransferConfig: 'transfer_configs:update',
  StopDestructionReview: 'account.retention:update',
  RequireTwoPeople: 'account.two_people:update',
  ChangeIdentityProvider: 'account.identity:update',
  AssignRoles: 'people.roles:update',
} as const
export type ProposalKind = keyof typeof PROPOSAL_ACTIONS
export const PROPOSAL_KINDS = Object.keys(PROPOSAL_ACTIONS) as [ProposalKind, ...ProposalKind[]]

const subject = { target_type: z.enum(HOLD_TARGETS), target: UserReference }
const matter = { matter_id: Ulid, name: z.string() }

/** What is to be done. */
export const ProposedAct = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ReleaseHold'), ...subject }),
  z.strictObject({ kind: z.literal('ReleaseMatterPerson'), ...matter, ...subject }),
  z.strictObject({ kind: z.literal('CloseMatter'), ...matter, people: Count }),
  z.strictObject({
    kind: z.literal('ShortenRetention'),
    /** What would stay less long, by what entries are about. */
    shortened: z.array(z.string()),
    policy: RetentionInput,
  }),
  z.strictObject({
    kind: z.literal('SaveTransferConfig'),
    transfer_config_reference: TransferConfigReference,
    settings: TransferSettings,
    /** Which secrets are given anew; they are told to nobody. */
    new_secrets: z.array(z.enum(TRANSFER_SECRETS)),
    /** By what more leaves than when it was proposed. */
    widened: z.array(TransferWidening),
  }),
  /** Destructions no longer wait until somebody has released their list. */
  z.strictObject({ kind: z.literal('StopDestructionReview') }),
  z.strictObject({ kind: z.literal('RequireTwoPeople'), is_required: z.boolean() }),
  /**
   * Proposed by the provider's staff, whatever the rule says, or by the account itself where only the mapping changes. Null: the identity
   * provider of the installation.
   */
  z.strictObject({
    kind: z.literal('ChangeIdentityProvider'),
    issuer: z.nullable(z.string()),
    former_issuer: z.nullable(z.string()),
    oidc_client_id: z.nullable(z.string()),
    oidc_phone_client_id: z.nullable(z.string()),
    /** How claims are read from then on; absent: as they are. */
    claim_mapping: z.optional(ClaimMapping),
  }),
  z.strictObject({
    kind: z.literal('AssignRoles'),
    user_reference: UserReference,
    ...PersonRolesInput.def.shape,
    /** As they were when it was proposed. */
    former_roles: z.array(z.string()),
    former_groups: z.nullable(z.array(z.string())),
  }),
])
export type ProposedAct = z.output<typeof ProposedAct>

export const Proposal = z.strictObject({
  client: ClientReference,
  proposal_id: Ulid,
  state: z.enum(PROPOSAL_STATES),
  proposed_at: EpochSeconds,
  proposed_by: z.string(),
  expires_at: EpochSeconds,
  /** Who ended it, and when; null while it waits, and of what nobody ended. */
  decided_at: z.nullable(EpochSeconds),
  decided_by: z.nullable(z.string()),
  /** Who of the provider's staff seconded it because the account cannot sign in, and when it takes effect unless it is rejected. */
  seconded_by: z.nullable(z.string()),
  takes_effect_at: z.nullable(EpochSeconds),
  updated_by: UpdatedBy,
  act: ProposedAct,
})
export type Proposal = z.output<typeof Proposal>

/** With why it is to be done, and why it was rejected; null: nobody said, or what was stored is damaged. */
export const ProposalDetail = z.strictObject({
  ...Proposal.def.shape,
  reason: z.nullable(z.string()),
  rejected_reason: z.nullable(z.string()),
})
export type ProposalDetail = z.output<typeof ProposalDetail>

/** Days within which two people who may confirm an act must have signed in, before acts wait for them. */
export const TWO_PEOPLE_DAYS = 30

export const TwoPeople = z.strictObject({
  /** Whether releases and shortenings wait for a second person. */
  is_required: z.boolean(),
  /** How many people who may do each act signed in within the last days; two are needed of each. */
  people: z.array(z.strictObject({ action: z.enum(Object.values(PROPOSAL_ACTIONS)), count: Count })),
  ...stored,
})
export type TwoPeople = z.output<typeof TwoPeople>

const ofProposal = z.object({ client: ClientReference, proposal_id: Ulid })
const decides = {
  method: 'POST',
  portal: 'admin',
  authentication: 'portal',
  action: 'account.proposals:update',
  concerns: 'account',
  params: ofProposal,
  response: Proposal,
} as const

export const proposalEndpoints = endpoints({
  listProposals: {
    method: 'GET',
    portal: 'admin',
    path: 'account/proposals',
    authentication: 'portal',
    action: 'account.proposals:list',
    concerns: 'account',
    support: true,
    summary: 'What waits for a second person, and what became of the rest, newest first',
    params: inClient,
    query: {
      ...pageQuery,
      state: z.optional(z.enum(PROPOSAL_STATES)),
      kind: z.optional(z.enum(PROPOSAL_KINDS)),
    },
    response: pageOf(Proposal),
    problems: ['invalid_cursor'],
  },
  readProposal: {
    method: 'GET',
    portal: 'admin',
    path: 'account/proposals/{proposal_id}',
    authentication: 'portal',
    action: 'account.proposals:read',
    concerns: 'account',
    support: true,
    summary: 'What is to be done, and why',
    params: ofProposal,
    response: ProposalDetail,
    problems: ['not_found'],
  },
  confirmProposal: {
    ...decides,
    path: 'account/proposals/{proposal_id}/confirm',
    summary: 'Does what somebody else proposed',
    description:
      'Whoever confirms must be allowed to do it themselves. Where what it is about has changed since, nothing is done and the state is `superseded`.',
    powers: [...new Set(Object.values(PROPOSAL_ACTIONS))],
    problems: [
      'not_found',
      'wrong_state',
      'same_person',
      'person_required',
      'too_few_people',
      'last_administrator',
    ],
  },
  rejectProposal: {
    ...decides,
    path: 'account/proposals/{proposal_id}/reject',
    summary: 'Turns down what somebody else proposed, with a reason',
    powers: [...new Set(Object.values(PROPOSAL_ACTIONS))],
    body: z.strictObject({ reason: HoldReason }),
    problems: ['not_found', 'wrong_state', 'same_person', 'person_required'],
    secrets: ['reason'],
  },
  withdrawProposal: {
    ...decides,
    path: 'account/proposals/{proposal_id}/withdraw',
    summary: 'Takes back what one proposed oneself',
    problems: ['not_found', 'wrong_state', 'person_required'],
  },
  readTwoPeople: {
    method: 'GET',
    portal: 'admin',
    path: 'account/two_people',
    authentication: 'portal',
    action: 'account.two_people:read',
    concerns: 'account',
    support: true,
    summary: 'Whether the release of holds and shorter retention wait for a second person',
    params: inClient,
    response: TwoPeople,
  },
  saveTwoPeople: {
    method: 'PUT',
    portal: 'admin',
    path: 'account/two_people',
    authentication: 'portal',
    action: 'account.two_people:update',
    concerns: 'account',
    summary: 'Proposes that acts wait for a second person, or no longer do',
    description: `It changes once somebody else confirms it. It cannot be switched on unless two people who may do each of the acts signed in within ${TWO_PEOPLE_DAYS} days.`,
    params: inClient,
    body: z.strictObject({ is_required: z.boolean() }),
    response: TwoPeople,
    deferred: Proposed,
    problems: ['already_proposed', 'person_required', 'too_few_people'],
  },
})
