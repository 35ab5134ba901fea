import * as z from 'zod/mini'
import { stored, UpdatedBy } from './access.ts'
import { ClaimMapping } from './claim-mapping.ts'
import { ADMIN_ACCOUNT, endpoints, get, getPage, pageQuery, put } from './endpoint.ts'
import { HOLD_TARGETS, HoldReason, target_name } from './legal-holds.ts'
import { PersonRolesInput } from './people.ts'
import { ProposalAnswer } from './proposed.ts'
import { RetentionInput } from './retention.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  TransferConfigReference,
  Ulid,
  UserReference,
} from './scalars.ts'
import { TRANSFER_SECRETS, TransferSettings, TransferWidening } from './transfer-configs.ts'

/** States of a pending act; `superseded`: its subject had changed, so nothing was done. */
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

/** The server adds the name to an answer. */
const subject = {
  target_type: z.enum(HOLD_TARGETS),
  target: UserReference,
  target_name: z.optional(target_name),
}
const matter = { matter_id: Ulid, name: z.string() }

export const ProposedAct = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ReleaseHold'), ...subject }),
  z.strictObject({ kind: z.literal('ReleaseMatterPerson'), ...matter, ...subject }),
  z.strictObject({ kind: z.literal('CloseMatter'), ...matter, people: Count }),
  z.strictObject({
    kind: z.literal('ShortenRetention'),
    /** Entries with a shorter period. */
    shortened: z.array(z.string()),
    policy: RetentionInput,
  }),
  z.strictObject({
    kind: z.literal('SaveTransferConfig'),
    transfer_config_reference: TransferConfigReference,
    settings: TransferSettings,
    /** Which secrets change; no response contains their values. */
    new_secrets: z.array(z.enum(TRANSFER_SECRETS)),
    /** Changes that extend the transfers. */
    widened: z.array(TransferWidening),
  }),
  /** Destructions no longer wait for the release of their list. */
  z.strictObject({ kind: z.literal('StopDestructionReview') }),
  z.strictObject({ kind: z.literal('RequireTwoPeople'), is_required: z.boolean() }),
  /**
   * The provider's staff proposes it, with or without dual control; the account proposes a changed mapping. Null: the
   * identity provider of the installation.
   */
  z.strictObject({
    kind: z.literal('ChangeIdentityProvider'),
    issuer: z.nullable(z.string()),
    former_issuer: z.nullable(z.string()),
    oidc_client_id: z.nullable(z.string()),
    oidc_device_client_id: z.nullable(z.string()),
    /** New claim mapping; absent: unchanged. */
    claim_mapping: z.optional(ClaimMapping),
  }),
  z.strictObject({
    kind: z.literal('AssignRoles'),
    ...authors({ user_reference: UserReference }),
    ...PersonRolesInput.def.shape,
    /** Values at the time of the proposal. */
    former_roles: z.array(z.string()),
    former_groups: z.nullable(z.array(z.string())),
    former_ends_at: z.nullable(EpochSeconds),
    former_matters: z.nullable(z.array(z.string())),
  }),
])
export type ProposedAct = z.output<typeof ProposedAct>

export const Proposal = z.strictObject({
  client: ClientReference,
  proposal_id: Ulid,
  state: z.enum(PROPOSAL_STATES),
  proposed_at: EpochSeconds,
  ...authors({ proposed_by: z.string() }),
  expires_at: EpochSeconds,
  /** Author and time of its end; null while it waits, or if it ended without an actor. */
  decided_at: z.nullable(EpochSeconds),
  ...authors({ decided_by: z.nullable(z.string()) }),
  /** The member of staff who approved it because the account cannot sign in, and the time when it takes effect. */
  seconded_by: z.nullable(z.string()),
  takes_effect_at: z.nullable(EpochSeconds),
  updated_by: UpdatedBy,
  act: ProposedAct,
})
export type Proposal = z.output<typeof Proposal>

/** With the reasons of the proposal and of its rejection; null: no reason, or the stored reason is damaged. */
export const ProposalDetail = z.strictObject({
  ...Proposal.def.shape,
  reason: z.nullable(z.string()),
  rejected_reason: z.nullable(z.string()),
})
export type ProposalDetail = z.output<typeof ProposalDetail>

/** Maximum days since the sign-in of two approvers, required to switch dual control on. */
export const TWO_PEOPLE_DAYS = 30

export const TwoPeople = z.strictObject({
  /** Whether dual control is on. */
  is_required: z.boolean(),
  /** Number of recently signed-in people with the right to each act; each act requires two. */
  people: z.array(z.strictObject({ action: z.enum(Object.values(PROPOSAL_ACTIONS)), count: Count })),
  ...stored,
})
export type TwoPeople = z.output<typeof TwoPeople>

const decides = {
  method: 'POST',
  ...ADMIN_ACCOUNT,
  action: 'account.proposals:update',
  response: Proposal,
} as const

export const proposalEndpoints = endpoints({
  listProposals: {
    ...get(ADMIN_ACCOUNT, 'account/proposals'),
    action: 'account.proposals:list',
    support: true,
    summary: 'List the proposals, newest first',
    query: {
      ...pageQuery,
      state: z.optional(z.enum(PROPOSAL_STATES)),
      kind: z.optional(z.enum(PROPOSAL_KINDS)),
    },
    response: getPage(Proposal),
  },
  readProposal: {
    ...get(ADMIN_ACCOUNT, 'account/proposals/{proposal_id}'),
    action: 'account.proposals:read',
    support: true,
    summary: 'Show a proposal with its reason',
    response: ProposalDetail,
    problems: ['not_found'],
  },
  confirmProposal: {
    ...decides,
    path: 'account/proposals/{proposal_id}/confirm',
    summary: 'Approve and execute a proposal of another person',
    description:
      'The approver needs the right to the act itself. If its subject has changed, the server does nothing and the state is `superseded`.',
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
    summary: 'Reject a proposal of another person, with a reason',
    powers: [...new Set(Object.values(PROPOSAL_ACTIONS))],
    body: z.strictObject({ reason: HoldReason }),
    problems: ['not_found', 'wrong_state', 'same_person', 'person_required'],
    secrets: ['reason'],
  },
  withdrawProposal: {
    ...decides,
    path: 'account/proposals/{proposal_id}/withdraw',
    summary: 'Withdraw the caller’s own proposal',
    problems: ['not_found', 'wrong_state', 'person_required'],
  },
  readTwoPeople: {
    ...get(ADMIN_ACCOUNT, 'account/two_people'),
    action: 'account.two_people:read',
    support: true,
    summary: 'Show whether dual control is on',
    response: TwoPeople,
  },
  saveTwoPeople: {
    ...put(ADMIN_ACCOUNT, 'account/two_people'),
    action: 'account.two_people:update',
    summary: 'Propose to switch dual control on or off',
    description: `A second person approves it. Switching on requires that two people with the right to each act signed in within ${TWO_PEOPLE_DAYS} days.`,
    body: z.strictObject({ is_required: z.boolean() }),
    response: TwoPeople,
    deferred: ProposalAnswer,
    problems: ['already_proposed', 'person_required', 'too_few_people'],
  },
})
