import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import {
  ClientReference,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  text,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** Days for which an enrolment may hold good. */
export const ENROLMENT_DAYS_LIMIT = 365
/** Phones that may be the limit of one of the account. */
export const ENROLMENT_USES_LIMIT = 100_000
/** Phones that are told with an enrolment; further ones are counted. */
export const ENROLMENT_DEVICES_LISTED = 10

/** Open; used by as many phones as may come with it; or over. */
export const ENROLMENT_STATES = ['open', 'used', 'expired', 'revoked'] as const
export type EnrolmentState = (typeof ENROLMENT_STATES)[number]

/** A phone that came with an enrolment. */
export const EnrolmentPhone = z.strictObject({
  /** Null: it belongs to a group beyond the caller’s. */
  device_reference: z.nullable(DeviceReference),
  model: z.nullable(z.string()),
  /** Whose it is now. */
  device_user_reference: z.nullable(DeviceUserReference),
  used_at: EpochSeconds,
  /** Whether it waits for confirmation, for it was somebody else’s. */
  is_waiting: z.boolean(),
})
export type EnrolmentPhone = z.output<typeof EnrolmentPhone>

/** What a phone is given to join the account, without its secret. */
export const Enrolment = z.strictObject({
  client: ClientReference,
  enrolment_reference: Ulid,
  enrolment_state: z.enum(ENROLMENT_STATES),
  /** Whose phone it makes, and their group; null: the account’s, for a roll-out. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: z.nullable(GroupReference),
  first_name: z.nullable(z.string()),
  surname: z.nullable(z.string()),
  description: z.nullable(z.string()),
  /** Phones that may come with it; null: any number. */
  max_uses: z.nullable(Count),
  /** Of the account: whether the e-mail address that a device claims decides whose it is; else it waits for confirmation. */
  matches_email: z.boolean(),
  uses: Count,
  /** The newest. */
  phones: z.array(EnrolmentPhone),
  created_at: EpochSeconds,
  created_by: z.string(),
  expires_at: EpochSeconds,
  revoked_at: z.nullable(EpochSeconds),
  revoked_by: z.nullable(z.string()),
  updated_by: UpdatedBy,
})
export type Enrolment = z.output<typeof Enrolment>

/** An enrolment that was just made. Its text, which holds the secret, is told this once. */
export const NewEnrolment = z.strictObject({ ...Enrolment.def.shape, text: z.string() })
export type NewEnrolment = z.output<typeof NewEnrolment>

const days = z.int().check(z.gte(1), z.lte(ENROLMENT_DAYS_LIMIT))
const description = z._default(z.nullable(text(1, 255)), null)

const byReference = z.object({ client: ClientReference, enrolment_reference: Ulid })

export const enrolmentEndpoints = endpoints({
  listEnrolments: {
    method: 'GET',
    portal: 'admin',
    path: 'enrolments',
    authentication: 'portal',
    action: 'devices.enrolments:list',
    concerns: 'groups',
    support: true,
    summary:
      'What phones were given to join the account, newest first: of people within the caller’s groups; those of the account by rights without conditions only',
    params: inClient,
    query: {
      ...pageQuery,
      device_user_reference: z.optional(DeviceUserReference),
      states: z.optional(uniqueList(z.enum(ENROLMENT_STATES), 1, ENROLMENT_STATES.length)),
    },
    response: pageOf(Enrolment),
    problems: ['invalid_cursor'],
  },
  readEnrolment: {
    method: 'GET',
    portal: 'admin',
    path: 'enrolments/{enrolment_reference}',
    authentication: 'portal',
    action: 'devices.enrolments:read',
    concerns: 'groups',
    support: true,
    summary: 'An enrolment, and which phones came with it',
    params: byReference,
    response: Enrolment,
    problems: ['not_found'],
  },
  createEnrolment: {
    method: 'POST',
    portal: 'admin',
    path: 'enrolments',
    authentication: 'portal',
    action: 'devices.enrolments:create',
    concerns: 'account',
    summary:
      'Makes an enrolment for a roll-out: devices that come with it wait for confirmation, unless it matches e-mail addresses',
    params: inClient,
    body: z.strictObject({
      expires_in_days: days,
      max_uses: z._default(z.nullable(z.int().check(z.gte(1), z.lte(ENROLMENT_USES_LIMIT))), null),
      matches_email: z._default(z.boolean(), false),
      description,
    }),
    response: NewEnrolment,
  },
  createEnrolmentOfUser: {
    method: 'POST',
    portal: 'admin',
    path: 'users/{device_user_reference}/enrolments',
    authentication: 'portal',
    action: 'users.enrolments:create',
    concerns: 'groups',
    summary: 'Makes an enrolment for one phone of a device user',
    params: z.object({ client: ClientReference, device_user_reference: DeviceUserReference }),
    body: z.strictObject({ expires_in_days: days, description }),
    response: NewEnrolment,
    problems: ['not_found', 'wrong_state'],
  },
  revokeEnrolment: {
    method: 'DELETE',
    portal: 'admin',
    path: 'enrolments/{enrolment_reference}',
    authentication: 'portal',
    action: 'devices.enrolments:delete',
    concerns: 'groups',
    summary: 'Revokes an enrolment: no further phone comes with it; those that did stay',
    params: byReference,
    response: Enrolment,
    problems: ['not_found'],
  },
})
