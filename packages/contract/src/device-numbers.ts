import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import {
  ClientReference,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
} from './scalars.ts'

const known = {
  phone_number: z.string(),
  slot_index: z.int(),
  /** When the phone said so last; null: it never did itself. */
  last_reported: z.nullable(EpochSeconds),
  /** When a text came from the number that this phone sent, first and last; null: never, it is merely reported. */
  first_verified: z.nullable(EpochSeconds),
  last_verified: z.nullable(EpochSeconds),
  /** Another phone has the number, too, or had it at the time. */
  is_contested: z.boolean(),
}

/** A number that a phone has now. */
export const DeviceNumber = z.strictObject({ ...known, since: EpochSeconds })
export type DeviceNumber = z.output<typeof DeviceNumber>

/** Who had a number from when to when, and on which phone. */
export const NumberPeriod = z.strictObject({
  ...known,
  from: EpochSeconds,
  /** Null: until now. */
  to: z.nullable(EpochSeconds),
  device_reference: DeviceReference,
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
})
export type NumberPeriod = z.output<typeof NumberPeriod>

/** Newest first. Times out of the caller's groups are left out. */
const NumberHistory = z.strictObject({ numbers: z.array(NumberPeriod) })

export const numberEndpoints = endpoints({
  readDeviceNumbers: {
    method: 'GET',
    portal: 'admin',
    path: 'devices/{device_reference}/numbers',
    authentication: 'portal',
    action: 'devices.numbers:read',
    concerns: 'groups',
    support: true,
    summary: 'Which numbers a phone had when, and who held it then',
    params: z.object({ client: ClientReference, device_reference: DeviceReference }),
    response: NumberHistory,
    problems: ['not_found'],
  },
  readNumbersOfUser: {
    method: 'GET',
    portal: 'admin',
    path: 'users/{device_user_reference}/numbers',
    authentication: 'portal',
    action: 'users.numbers:read',
    concerns: 'groups',
    support: true,
    summary: 'Which numbers somebody had when, and on which phones',
    params: z.object({ client: ClientReference, device_user_reference: DeviceUserReference }),
    response: NumberHistory,
    problems: ['not_found'],
  },
})
