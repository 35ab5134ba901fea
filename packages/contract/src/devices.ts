import * as z from 'zod/mini'
import { DeviceNumber } from './device-numbers.ts'
import {
  ADMIN_GROUPS,
  del,
  endpoints,
  get,
  getPage,
  pageQuery,
  person_name,
  post,
  sortedBy,
} from './endpoint.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  LocalPhoneNumber,
  name,
  queryBoolean,
  text,
  uniqueList,
} from './scalars.ts'

/**
 * Pending until the first authentication. Deactivated by hand, by silence or by deletion, until the next
 * authentication. Blocked, lost or stolen until an administrator reverts it.
 */
export const DEVICE_STATES = ['activated', 'pending', 'deactivated', 'blocked'] as const
export type DeviceState = (typeof DEVICE_STATES)[number]

/**
 * Reasons of a pending confirmation: no code names the holder (`unconfirmed`); another key has the same numbers; the
 * device claims another holder; or the holder already has the expected number of devices.
 */
export const WAITING_REASONS = ['unconfirmed', 'other_key', 'holder', 'beyond_expected'] as const
export type WaitingReason = (typeof WAITING_REASONS)[number]

/**
 * Proof of a device: none; possession of its key; or a key in hardware that cannot be extracted.
 */
export const DEVICE_PROOFS = ['none', 'key', 'hardware'] as const
export type DeviceProof = (typeof DEVICE_PROOFS)[number]

/** Maximum count of payloads of a pending device. */
export const WAITING_COUNT_LIMIT = 1000

/**
 * Silence of a recording device: not seen for one day or three days; or seen, but without a recording for more than
 * three times its usual gap.
 */
export const SILENCES = ['silent', 'long_silent', 'silent_but_alive'] as const
export type Silence = (typeof SILENCES)[number]

/** Days of the filters on the last contact. */
export const SILENT_DAYS = ['1', '3', '7', '30'] as const

/** A device as the portal shows it (spec section 3). */
export const Device = z.strictObject({
  client: ClientReference,
  device_reference: DeviceReference,
  device_state: z.enum(DEVICE_STATES),
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
  /** The services to record: those of the holder, limited by the licences at activation. */
  services: z.array(z.enum(DEVICE_SERVICES)),
  /** Services without a licence. */
  unlicensed_services: z.array(z.enum(DEVICE_SERVICES)),
  imeis: z.array(z.string()),
  email: z.nullable(z.string()),
  first_name: z.nullable(z.string()),
  surname: z.nullable(z.string()),
  last_seen: z.nullable(EpochSeconds),
  /** Result of the last check, every ten minutes; null: not silent, or without services. */
  silence: z.nullable(z.enum(SILENCES)),
  /** Listed time of its newest recording; null: none. */
  last_payload_at: z.nullable(EpochSeconds),
  /** Usual seconds between two recordings; null: none. */
  usual_gap: z.nullable(z.int()),
  is_deactivated: z.boolean(),
  deactivation_date: z.nullable(EpochSeconds),
  activated_at: z.nullable(EpochSeconds),
  blocked_at: z.nullable(EpochSeconds),
  ...authors({ blocked_by: z.nullable(z.string()) }),
  proof: z.enum(DEVICE_PROOFS),
  /** Start and reason of the pending confirmation; null: none. A pending, blocked device was rejected or is lost. */
  waiting_since: z.nullable(EpochSeconds),
  waiting_reason: z.nullable(z.enum(WAITING_REASONS)),
  /** The claimed holder of a waiting device. */
  requested_user_reference: z.nullable(DeviceUserReference),
  requested_user_name: person_name,
  /** Uploaded payloads while pending, at most `WAITING_COUNT_LIMIT` + 1; null: not pending. */
  waiting_payloads: z.nullable(z.int()),
  /** The device with the same hardware, until another device was confirmed to have it. */
  same_hardware_as: z.nullable(DeviceReference),
  /** Its person, then its model; absent: not known, or the caller may not see it. */
  same_hardware_name: z.optional(z.string()),
  is_legacy: z.boolean(),
  /** Number from the former platform, without country code. */
  legacy_phone_number: z.nullable(LocalPhoneNumber),
  /** Current numbers. */
  phone_numbers: z.array(DeviceNumber),
  model: z.nullable(z.string()),
  os_version: z.nullable(z.string()),
  app_version: z.nullable(z.string()),
  serial_number: z.nullable(z.string()),
  /** Token of its push service. */
  fcm_token: z.nullable(z.string()),
  installation_id: z.nullable(z.string()),
  /** Whether a present or former holder is on legal hold; absent: the caller lacks the right. */
  is_held: z.optional(z.boolean()),
  updated_at: EpochSeconds,
  updated_by: z.string(),
})
export type Device = z.output<typeof Device>

/** Holders of a device, newest first. Periods outside the caller's groups have neither person nor group. */
export const DeviceHistory = z.strictObject({
  device_reference: DeviceReference,
  history: z.array(
    z.strictObject({
      from: EpochSeconds,
      /** Null: until now. */
      to: z.nullable(EpochSeconds),
      device_user_reference: z.nullable(DeviceUserReference),
      person_name,
      group: z.nullable(GroupReference),
    }),
  ),
})
export type DeviceHistory = z.output<typeof DeviceHistory>

export const deviceFilters = {
  /** Beginnings of the reference, of a serial number or IMEI, of words of the model or the holder’s name; a number as in `number`. */
  search: z.optional(name(1, 255)),
  /** Present or former number: complete, or at least its last four digits. */
  number: z.optional(text(1, 255)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  services: z.optional(uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)),
  states: z.optional(uniqueList(z.enum(DEVICE_STATES), 1, DEVICE_STATES.length)),
  /** Not seen for this number of days. A device without any contact is pending, not silent. */
  silent_days: z.optional(z.enum(SILENT_DAYS)),
  silences: z.optional(uniqueList(z.enum(SILENCES), 1, SILENCES.length)),
  /** Seen within this number of days. */
  seen_days: z.optional(z.enum(SILENT_DAYS)),
  app_version: z.optional(text(1, 255)),
  os_version: z.optional(text(1, 255)),
  is_legacy: z.optional(queryBoolean()),
  proofs: z.optional(uniqueList(z.enum(DEVICE_PROOFS), 1, DEVICE_PROOFS.length)),
  /** Pending devices, without rejected ones. */
  is_waiting: z.optional(queryBoolean()),
  /** Requires the right to list legal holds; otherwise the result is empty. */
  is_held: z.optional(queryBoolean()),
}

const act = {
  ...ADMIN_GROUPS,
  response: Device,
  problems: ['not_found'],
} as const

export const fleetEndpoints = endpoints({
  listDevices: {
    ...get(ADMIN_GROUPS, 'devices'),
    action: 'devices:list',
    support: true,
    summary: 'List the devices within the caller’s groups',
    query: {
      ...pageQuery,
      ...deviceFilters,
      sort: sortedBy('holder', 'last_seen', 'model', 'app_version', 'os_version'),
    },
    response: getPage(Device),
  },
  readDevice: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}'),
    action: 'devices:read',
    support: true,
    summary: 'Show a device',
    response: Device,
    problems: ['not_found'],
  },
  readDeviceHistory: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/history'),
    action: 'devices.history:read',
    support: true,
    summary: 'List the holders of a device with their periods',
    response: DeviceHistory,
    problems: ['not_found'],
  },
  deactivateDevice: {
    ...post(act, 'devices/{device_reference}/deactivate'),
    action: 'devices:deactivate',
    summary: 'Revoke the tokens of a device until it authenticates again',
  },
  blockDevice: {
    ...post(act, 'devices/{device_reference}/block'),
    action: 'devices:block',
    summary: 'Block a lost or stolen device until an administrator unblocks it',
  },
  unblockDevice: {
    ...post(act, 'devices/{device_reference}/unblock'),
    action: 'devices:unblock',
    summary: 'Unblock a device, so that it may authenticate again',
  },
  deleteDevice: {
    ...del(ADMIN_GROUPS, 'devices/{device_reference}'),
    action: 'devices:delete',
    summary: 'Deactivate and hide a device; its recordings stay',
    description: 'The server refuses it while a present or former holder is on legal hold.',
    response: z.strictObject({}),
    problems: ['not_found', 'held', 'wrong_state'],
  },
  listDevicesOfUser: {
    ...get(ADMIN_GROUPS, 'users/{device_user_reference}/devices'),
    action: 'users.devices:list',
    support: true,
    summary: 'List the devices of a device user',
    query: { ...pageQuery },
    response: getPage(Device),
    problems: ['not_found'],
  },
})
