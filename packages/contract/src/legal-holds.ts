import * as z from 'zod/mini'
import { CLIENT_ACCOUNT, del, endpoints, get, getPage, pageQuery, put } from './endpoint.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  name,
  queryBoolean,
  text,
  UserReference,
} from './scalars.ts'

/** Types of custodians of a hold (spec section 5). */
export const HOLD_TARGETS = ['PortalUser', 'DeviceUser'] as const
export type HoldTarget = (typeof HOLD_TARGETS)[number]

/** Maximum counts of a hold's payloads in lists and in responses about one hold. */
export const HOLD_COUNT_LIMITS = { list: 1000, one: 10_000 } as const

/** The reason for a legal hold or its release: one line. */
export const HoldReason = text(3, 500, [
  /^(?!.*[\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069])\S.*\S$/su,
  'invalid',
])

/** First name and surname of a device user on hold; null: not known, or a portal user. */
export const target_name = z.nullable(z.string())

export const LegalHold = z.strictObject({
  client: ClientReference,
  target: UserReference,
  target_type: z.enum(HOLD_TARGETS),
  target_name,
  is_active: z.boolean(),
  created_at: EpochSeconds,
  updated_at: EpochSeconds,
  ...authors({ updated_by: z.string() }),
  /** End of the grace period after the release; null while active. */
  keeps_until: z.nullable(EpochSeconds),
  /** Names of open matters that hold them. */
  matters: z.array(z.string()),
  /** Payloads on hold, grace period included, and payloads destroyed before. */
  protected: Count,
  already_destroyed: Count,
  /** There are more payloads than were counted. */
  is_capped: z.boolean(),
})
export type LegalHold = z.output<typeof LegalHold>

/** A period of a legal hold, with its reason. Null: no reason, or the stored reason is damaged. */
export const LegalHoldPeriod = z.strictObject({
  from: EpochSeconds,
  ...authors({ set_by: z.string() }),
  set_reason: z.nullable(z.string()),
  /** Name of its matter; null: none. */
  set_for: z.nullable(z.string()),
  /** Null: until now. */
  to: z.nullable(EpochSeconds),
  ...authors({ released_by: z.nullable(z.string()) }),
  /** The second person, if dual control applied. */
  ...authors({ release_confirmed_by: z.nullable(z.string()) }),
  release_reason: z.nullable(z.string()),
  released_with: z.nullable(z.string()),
})
export type LegalHoldPeriod = z.output<typeof LegalHoldPeriod>

/** Maximum periods of one hold in a response, the newest first. */
export const HOLD_PERIODS_LIMIT = 100

/** With its history, newest first. */
export const LegalHoldDetail = z.strictObject({ ...LegalHold.def.shape, periods: z.array(LegalHoldPeriod) })
export type LegalHoldDetail = z.output<typeof LegalHoldDetail>

export const legalHoldEndpoints = endpoints({
  listLegalHolds: {
    ...get(CLIENT_ACCOUNT, 'account/legal_holds'),
    action: 'account.legal_holds:list',
    support: true,
    summary: 'List the legal holds, released ones included',
    query: {
      ...pageQuery,
      target_type: z.optional(z.enum(HOLD_TARGETS)),
      is_active: z.optional(queryBoolean()),
      /** Part of the target. */
      search: z.optional(name(1, 255)),
    },
    response: getPage(LegalHold),
  },
  readLegalHold: {
    ...get(CLIENT_ACCOUNT, 'account/legal_holds/{target_type}/{target}'),
    action: 'account.legal_holds:read',
    support: true,
    summary: 'Show a legal hold with its periods, authors and reasons',
    params: { target_type: z.enum(HOLD_TARGETS) },
    response: LegalHoldDetail,
    problems: ['not_found'],
  },
  setLegalHold: {
    ...put(CLIENT_ACCOUNT, 'account/legal_holds/{target_type}/{target}'),
    action: 'account.legal_holds:update',
    summary: 'Place a portal user or device user on legal hold',
    description:
      'A repeat changes nothing and returns the hold. Target and type in the body must match the path.',
    params: { target_type: z.enum(HOLD_TARGETS) },
    body: z._default(
      z.strictObject({
        target: z.optional(UserReference),
        target_type: z.optional(z.enum(HOLD_TARGETS)),
        reason: z.optional(HoldReason),
      }),
      {},
    ),
    response: LegalHold,
    problems: ['not_found'],
    secrets: ['reason'],
  },
  releaseLegalHold: {
    ...del(CLIENT_ACCOUNT, 'account/legal_holds/{target_type}/{target}'),
    action: 'account.legal_holds:delete',
    summary: 'Release a legal hold; its periods stay on record',
    description: 'Returns 202 with a proposal if the account requires a second person.',
    params: { target_type: z.enum(HOLD_TARGETS) },
    query: { reason: z.optional(HoldReason) },
    response: LegalHold,
    deferred: ProposalAnswer,
    problems: ['not_found', 'held_by_matter', 'already_proposed', 'person_required'],
    secrets: ['reason'],
  },
})
