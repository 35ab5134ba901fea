import * as z from 'zod/mini'
import { stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { HoldReason } from './legal-holds.ts'
import { pageOf, pageQuery } from './paging.ts'
import { PayloadType } from './payload-types.ts'
import { Proposed } from './proposed.ts'
import { ClientReference, Count, EpochSeconds, PayloadReference, text, Ulid, uniqueList } from './scalars.ts'

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
/** Payloads that are taken out, or put back, at once. */
export const TAKEN_OUT_LIMIT = 500

export const DestructionReview = z.strictObject({
  /** Whether due destructions wait until a reviewer releases their list. */
  is_required: z.boolean(),
  ...stored,
  /** The second person, where it was switched. */
  confirmed_by: z.nullable(z.string()),
})
export type DestructionReview = z.output<typeof DestructionReview>

export const Destruction = z.strictObject({
  client: ClientReference,
  destruction_reference: Ulid,
  state: z.enum(DESTRUCTION_STATES),
  began_at: EpochSeconds,
  /** Since when nothing more comes into it. */
  gathered_at: z.nullable(EpochSeconds),
  released_at: z.nullable(EpochSeconds),
  released_by: z.nullable(z.string()),
  /** Payloads in it, and what became of them. */
  payloads: Count,
  taken_out: Count,
  destroyed: Count,
  kept: Count,
})
export type Destruction = z.output<typeof Destruction>

export const DestructionDetail = z.strictObject({
  ...Destruction.def.shape,
  /** Changes with whatever is taken out or put back; to be given when it is released. */
  version: z.string(),
  types: z.array(
    z.strictObject({ payload_type: PayloadType, payloads: Count, taken_out: Count, destroyed: Count }),
  ),
  /** The versions of the policy by which they are due, and who saved each: they cannot release it. */
  policies: z.array(z.strictObject({ policy_version: Count, by: z.string(), payloads: Count })),
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
  /** When it came to that, and who did it; null: it is listed. */
  at: z.nullable(EpochSeconds),
  by: z.nullable(z.string()),
  /** Why it was excluded or returned; null: no reason, or the stored reason is damaged. */
  reason: z.nullable(z.string()),
})
export type DestructionItem = z.output<typeof DestructionItem>

const ofDestruction = z.object({ destruction_reference: Ulid })
const portal = { portal: 'client', authentication: 'portal', concerns: 'account' } as const

export const destructionEndpoints = endpoints({
  readDestructionReview: {
    ...portal,
    method: 'GET',
    path: 'account/retention/review_of_destruction',
    action: 'account.retention:read',
    support: true,
    summary: 'Whether destructions wait until somebody has released their list',
    response: DestructionReview,
  },
  saveDestructionReview: {
    ...portal,
    method: 'PUT',
    path: 'account/retention/review_of_destruction',
    action: 'account.retention:update',
    summary: 'Has destructions wait for somebody who releases their list, or proposes that they no longer do',
    description:
      'It is switched on at once. To switch it off takes two people, whatever the account asks for otherwise: the answer is 202 with a proposal.',
    body: z.strictObject({ is_required: z.boolean() }),
    response: DestructionReview,
    deferred: Proposed,
    problems: ['already_proposed', 'person_required'],
  },
  listDestructions: {
    ...portal,
    method: 'GET',
    path: 'account/destructions',
    action: 'account.destructions:list',
    support: true,
    summary: 'Lists of what is due for destruction, the newest first',
    query: { ...pageQuery, state: z.optional(z.enum(DESTRUCTION_STATES)) },
    response: pageOf(Destruction),
    problems: ['invalid_cursor'],
  },
  readDestruction: {
    ...portal,
    method: 'GET',
    path: 'account/destructions/{destruction_reference}',
    action: 'account.destructions:read',
    support: true,
    summary: 'A list of what is due for destruction: counts, and the policies by which it is due',
    params: ofDestruction,
    response: DestructionDetail,
    problems: ['not_found'],
  },
  listDestructionItems: {
    ...portal,
    method: 'GET',
    path: 'account/destructions/{destruction_reference}/payloads',
    action: 'account.destructions:read',
    support: true,
    summary: 'What is in a list of destructions, the oldest first, and what became of each',
    params: ofDestruction,
    query: {
      ...pageQuery,
      state: z.optional(z.enum(DESTRUCTION_ITEM_STATES)),
      payload_type: z.optional(PayloadType),
    },
    response: pageOf(DestructionItem),
    problems: ['not_found', 'invalid_cursor'],
  },
  changeDestruction: {
    ...portal,
    method: 'POST',
    path: 'account/destructions/{destruction_reference}/payloads',
    action: 'account.destructions:update',
    summary: 'Takes payloads out of a list, so that they stay, or puts them back',
    description:
      'What is taken out stays until somebody puts it back, also after its list was released and whatever the policy says. What is put back into a list that was released comes into a later one.',
    params: ofDestruction,
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
    ...portal,
    method: 'POST',
    path: 'account/destructions/{destruction_reference}/release',
    action: 'account.destructions:update',
    summary: 'Has what is left in a list destroyed, for ever',
    description:
      'Not by who saved a version of the policy by which something of it is due. Each payload is asked once more whether it is due and free of holds when it goes.',
    params: ofDestruction,
    body: z.strictObject({
      /** What the list was when it was looked at. */
      version: text(1, 64),
    }),
    response: DestructionDetail,
    problems: ['not_found', 'wrong_state', 'changed_meanwhile', 'same_person', 'person_required'],
  },
})
