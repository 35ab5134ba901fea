import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import { EnrolmentSecret } from './device.ts'
import { ADMIN_ACCOUNT, ADMIN_GROUPS, del, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import {
  authors,
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

/** Maximum validity of an enrolment in days. */
export const ENROLMENT_DAYS_LIMIT = 365
/** Maximum device limit of a roll-out enrolment. */
export const ENROLMENT_USES_LIMIT = 100_000
/** Maximum devices listed with an enrolment; further ones are counted. */
export const ENROLMENT_DEVICES_LISTED = 10

/** Open; its page was opened; used up; or ended. */
export const ENROLMENT_STATES = ['open', 'opened', 'used', 'expired', 'revoked'] as const
export type EnrolmentState = (typeof ENROLMENT_STATES)[number]

/** Whether a device can still use the enrolment. */
export const isUsable = ({ enrolment_state }: { enrolment_state: EnrolmentState }): boolean =>
  enrolment_state === 'open' || enrolment_state === 'opened'

/** A device that used an enrolment. */
export const EnrolmentDevice = z.strictObject({
  /** Null: it belongs to a group beyond the caller’s. */
  device_reference: z.nullable(DeviceReference),
  model: z.nullable(z.string()),
  /** Its person, then its model; absent: not known, or the caller may not see it. */
  device_name: z.optional(z.string()),
  /** Current holder. */
  device_user_reference: z.nullable(DeviceUserReference),
  used_at: EpochSeconds,
  /** Whether it waits for confirmation because it had another holder. */
  is_waiting: z.boolean(),
})
export type EnrolmentDevice = z.output<typeof EnrolmentDevice>

/** An enrolment, without its secret. */
export const Enrolment = z.strictObject({
  client: ClientReference,
  enrolment_reference: Ulid,
  enrolment_state: z.enum(ENROLMENT_STATES),
  /** The future holder and their group; null: a roll-out enrolment. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: z.nullable(GroupReference),
  first_name: z.nullable(z.string()),
  surname: z.nullable(z.string()),
  description: z.nullable(z.string()),
  /** The address that it was mailed to; null: it was handed over otherwise. */
  sent_to: z.nullable(z.string()),
  /** When its link was first opened; null: not yet, or no link was sent. */
  opened_at: z.nullable(EpochSeconds),
  /** Maximum devices; null: unlimited. */
  max_uses: z.nullable(Count),
  /** For a roll-out: whether the claimed e-mail address determines the holder; otherwise the device waits for confirmation. */
  matches_email: z.boolean(),
  uses: Count,
  /** The newest. */
  devices: z.array(EnrolmentDevice),
  created_at: EpochSeconds,
  ...authors({ created_by: z.string() }),
  expires_at: EpochSeconds,
  revoked_at: z.nullable(EpochSeconds),
  ...authors({ revoked_by: z.nullable(z.string()) }),
  updated_by: UpdatedBy,
})
export type Enrolment = z.output<typeof Enrolment>

/** A new enrolment. Its text, which holds the secret, is returned only once. */
export const NewEnrolment = z.strictObject({ ...Enrolment.def.shape, text: z.string() })
export type NewEnrolment = z.output<typeof NewEnrolment>

export const enrolmentDays = z.int().check(z.gte(1), z.lte(ENROLMENT_DAYS_LIMIT))
export const enrolmentNote = z._default(z.nullable(text(1, 255)), null)

export const enrolmentEndpoints = endpoints({
  listEnrolments: {
    ...get(ADMIN_GROUPS, 'enrolments'),
    action: 'devices.enrolments:list',
    support: true,
    summary: 'List the enrolments of the account within the caller’s reach',
    query: {
      ...pageQuery,
      device_user_reference: z.optional(DeviceUserReference),
      states: z.optional(uniqueList(z.enum(ENROLMENT_STATES), 1, ENROLMENT_STATES.length)),
    },
    response: getPage(Enrolment),
  },
  readEnrolment: {
    ...get(ADMIN_GROUPS, 'enrolments/{enrolment_reference}'),
    action: 'devices.enrolments:read',
    support: true,
    summary: 'Show an enrolment and its devices',
    response: Enrolment,
    problems: ['not_found'],
  },
  createEnrolment: {
    ...post(ADMIN_ACCOUNT, 'enrolments'),
    action: 'devices.enrolments:create',
    summary: 'Create a roll-out enrolment for many devices',
    body: z.strictObject({
      expires_in_days: enrolmentDays,
      max_uses: z._default(z.nullable(z.int().check(z.gte(1), z.lte(ENROLMENT_USES_LIMIT))), null),
      matches_email: z._default(z.boolean(), false),
      description: enrolmentNote,
    }),
    response: NewEnrolment,
  },
  createEnrolmentOfUser: {
    ...post(ADMIN_GROUPS, 'users/{device_user_reference}/enrolments'),
    action: 'users.enrolments:create',
    summary: 'Create an enrolment for one device of a device user',
    body: z.strictObject({ expires_in_days: enrolmentDays, description: enrolmentNote }),
    response: NewEnrolment,
    problems: ['not_found', 'wrong_state'],
  },
  revokeEnrolment: {
    ...del(ADMIN_GROUPS, 'enrolments/{enrolment_reference}'),
    action: 'devices.enrolments:delete',
    summary: 'Revoke an enrolment; its enrolled devices stay',
    response: Enrolment,
    problems: ['not_found'],
  },
})

/** The page of an enrolment, which its mail links to; it needs no sign-in. */
export const enrolmentPageEndpoints = endpoints({
  openEnrolment: {
    method: 'POST',
    portal: 'client',
    path: 'enrolments/opened',
    authentication: 'none',
    summary: 'Note that the page of an enrolment was opened; the answer does not say whether it exists',
    body: z.strictObject({ account_reference: ClientReference, enrolment: EnrolmentSecret }),
    response: z.strictObject({}),
    secrets: ['enrolment'],
  },
})
