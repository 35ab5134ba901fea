import * as z from 'zod/mini'
import { ADMIN_GROUPS, endpoints, get, ownerNames } from './endpoint.ts'
import {
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  NonNegative,
  text,
} from './scalars.ts'

const known = {
  phone_number: z.string(),
  slot_index: z.int(),
  /** Last report of the device; null: never. */
  last_reported: z.nullable(EpochSeconds),
  /** First and last verification message from the number; null: reported only. */
  first_verified: z.nullable(EpochSeconds),
  last_verified: z.nullable(EpochSeconds),
  /** Another device has, or had at that time, the same number. */
  is_contested: z.boolean(),
}

/** A number that a device has now. */
export const DeviceNumber = z.strictObject({ ...known, since: EpochSeconds })
export type DeviceNumber = z.output<typeof DeviceNumber>

/** Holder and device of a number in one period. */
export const NumberPeriod = z.strictObject({
  ...known,
  from: EpochSeconds,
  /** Null: until now. */
  to: z.nullable(EpochSeconds),
  device_reference: DeviceReference,
  device_user_reference: z.nullable(DeviceUserReference),
  ...ownerNames,
  group: GroupReference,
})
export type NumberPeriod = z.output<typeof NumberPeriod>

/** Newest first, without periods outside the caller's groups. */
const NumberHistory = z.strictObject({ numbers: z.array(NumberPeriod) })

export const numberEndpoints = endpoints({
  readDeviceNumbers: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/numbers'),
    action: 'devices.numbers:read',
    support: true,
    summary: 'List the numbers of a device with their periods and holders',
    response: NumberHistory,
    problems: ['not_found'],
  },
  readNumbersOfUser: {
    ...get(ADMIN_GROUPS, 'users/{device_user_reference}/numbers'),
    action: 'users.numbers:read',
    support: true,
    summary: 'List the numbers of a device user with their periods',
    response: NumberHistory,
    problems: ['not_found'],
  },
})

export const verificationEndpoints = endpoints({
  verify: {
    method: 'POST',
    portal: 'internal',
    path: 'verify',
    authentication: 'none',
    summary: 'Report a device’s verification message from the message gateway',
    body: z.strictObject({ phone_number: text(3, 255), verification_code: text(16, 64) }),
    response: z.strictObject({ is_verified: z.boolean(), verified_until: z.nullable(NonNegative) }),
    secrets: ['verification_code'],
  },
})
