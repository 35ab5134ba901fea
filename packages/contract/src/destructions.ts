import * as z from 'zod/mini'
import { stored } from './access.ts'
import { CLIENT_ACCOUNT, endpoints, get, getPage, pageQuery, post, put } from './endpoint.ts'
import { HoldReason } from './legal-holds.ts'
import { PayloadType } from './payload-types.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  PayloadReference,
  text,
  Ulid,
  uniqueList,
} from './scalars.ts'

/**
 * States of a list of destructions: payloads are added; it waits for the release; it was released; it lapsed because
 * the account no longer requires a release.
 */
export const DESTRUCTION_STATES = ['gathering', 'waiting', 'released', 'lapsed'] as const
export type DestructionState = (typeof DESTRUCTION_STATES)[number]

/**
 * States of a payload in a list: due; excluded by a user; returned for a later list; destroyed; no longer due when
 * the list was released or lapsed.
 */
export const DESTRUCTION_ITEM_STATES = ['listed', 'taken_out', 'put_back', 'destroyed', 'kept'] as const
export type DestructionItemState = (typeof DESTRUCTION_ITEM_STATES)[number]

/** Maximum payloads of a list, so that one person can review it. */
export const DESTRUCTION_LIMIT = 2000
/** Maximum payloads of one call that excludes or includes them. */
export const TAKEN_OUT_LIMIT = 500

export const DestructionReview = z.strictObject({
  /** Whether due destructions wait until a reviewer releases their list. */
  is_required: z.boolean(),
  ...stored,
  /** The second person who approved the change. */
  ...authors({ confirmed_by: z.nullable(z.string()) }),
  /** Since when the sealed log contradicts a checkpoint, so that nothing is destroyed; null: it does not. */
  contradicted_at: z.nullable(EpochSeconds),
})
export type DestructionReview = z.output<typeof DestructionReview>

export const Destruction = z.strictObject({
  client: ClientReference,
  destruction_reference: Ulid,
  state: z.enum(DESTRUCTION_STATES),
  began_at: EpochSeconds,
  /** Time when the list was closed to further payloads. */
  gathered_at: z.nullable(EpochSeconds),
  released_at: z.nullable(EpochSeconds),
  ...authors({ released_by: z.nullable(z.string()) }),
  /** Number of its payloads by state. */
  payloads: Count,
  taken_out: Count,
  destroyed: Count,
  kept: Count,
})
export type Destruction = z.output<typeof Destruction>

export const DestructionDetail = z.strictObject({
  ...Destruction.def.shape,
  /** Version of the list, which changes with each exclusion or inclusion; the release requires it. */
  version: z.string(),
  types: z.array(
    z.strictObject({ payload_type: PayloadType, payloads: Count, taken_out: Count, destroyed: Count }),
  ),
  /** The applied policy versions and their authors, who cannot release the list. */
  policies: z.array(
    z.strictObject({ policy_version: Count, ...authors({ by: z.string() }), payloads: Count }),
  ),
})
export type DestructionDetail = z.output<typeof DestructionDetail>

export const DestructionItem = z.strictObject({
  client: ClientReference,
  payload_reference: z.string(),
  payload_type: PayloadType,
  payload_time: EpochSeconds,
  deleted_at: z.nullable(EpochSeconds),
  policy_version: Count,
  state: z.enum(DESTRUCTION_ITEM_STATES),
  /** Time and author of the state; null: listed. */
  at: z.nullable(EpochSeconds),
  ...authors({ by: z.nullable(z.string()) }),
  /** Why it was excluded or returned; null: no reason, or the stored reason is damaged. */
  reason: z.nullable(z.string()),
})
export type DestructionItem = z.output<typeof DestructionItem>

export const destructionEndpoints = endpoints({
  readDestructionReview: {
    ...get(CLIENT_ACCOUNT, 'account/retention/review_of_destruction'),
    action: 'account.retention:read',
    support: true,
    summary: 'Show whether destruction requires the release of its list',
    response: DestructionReview,
  },
  saveDestructionReview: {
    ...put(CLIENT_ACCOUNT, 'account/retention/review_of_destruction'),
    action: 'account.retention:update',
    summary: 'Require the release of destruction lists, or propose to end this',
    description:
      'Switching it on applies at once. Switching it off always requires a second person and returns 202 with a proposal.',
    body: z.strictObject({ is_required: z.boolean() }),
    response: DestructionReview,
    deferred: ProposalAnswer,
    problems: ['already_proposed', 'person_required'],
  },
  listDestructions: {
    ...get(CLIENT_ACCOUNT, 'account/destructions'),
    action: 'account.destructions:list',
    support: true,
    summary: 'List the destruction lists, newest first',
    query: { ...pageQuery, state: z.optional(z.enum(DESTRUCTION_STATES)) },
    response: getPage(Destruction),
  },
  readDestruction: {
    ...get(CLIENT_ACCOUNT, 'account/destructions/{destruction_reference}'),
    action: 'account.destructions:read',
    support: true,
    summary: 'Show a destruction list with its counts and policies',
    response: DestructionDetail,
    problems: ['not_found'],
  },
  listDestructionItems: {
    ...get(CLIENT_ACCOUNT, 'account/destructions/{destruction_reference}/payloads'),
    action: 'account.destructions:read',
    support: true,
    summary: 'List the payloads of a destruction list with their outcomes',
    query: {
      ...pageQuery,
      state: z.optional(z.enum(DESTRUCTION_ITEM_STATES)),
      payload_type: z.optional(PayloadType),
    },
    response: getPage(DestructionItem),
    problems: ['not_found'],
  },
  changeDestruction: {
    ...post(CLIENT_ACCOUNT, 'account/destructions/{destruction_reference}/payloads'),
    action: 'account.destructions:update',
    summary: 'Exclude payloads from a destruction list, or include them again',
    description:
      'An excluded payload stays until a reviewer includes it again, even after the release. A payload of a released list joins a later list.',
    body: z.strictObject({
      payload_references: uniqueList(PayloadReference, 1, TAKEN_OUT_LIMIT),
      is_taken_out: z.boolean(),
      reason: HoldReason,
    }),
    response: DestructionDetail,
    problems: ['not_found', 'wrong_state', 'person_required'],
    secrets: ['reason'],
  },
  releaseDestruction: {
    ...post(CLIENT_ACCOUNT, 'account/destructions/{destruction_reference}/release'),
    action: 'account.destructions:update',
    summary: 'Release a destruction list; the worker destroys its payloads permanently',
    description:
      'The author of an applied policy version cannot release the list. The worker checks again that each payload is due and not held.',
    body: z.strictObject({
      /** The version that the reviewer saw. */
      version: text(1, 64),
    }),
    response: DestructionDetail,
    problems: ['not_found', 'wrong_state', 'changed_meanwhile', 'same_person', 'person_required'],
  },
})
