import * as z from 'zod/mini'
import { DeviceNumber } from './device-numbers.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import {
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
 * Why a device waits for confirmation: no code names its holder (`unconfirmed`); it reports the numbers of a device that has another key; it
 * asks for another holder; or its holder already has as many devices as expected.
 */
export const WAITING_REASONS = ['unconfirmed', 'other_key', 'holder', 'beyond_expected'] as const
export type WaitingReason = (typeof WAITING_REASONS)[number]

/**
 * What a phone has proved: nothing, without its own key; possession of its key; a key in hardware that cannot be
 * extracted.
 */
export const DEVICE_PROOFS = ['none', 'key', 'hardware'] as const
export type DeviceProof = (typeof DEVICE_PROOFS)[number]

/** Payloads of a phone that waits are counted up to here. */
export const WAITING_COUNT_LIMIT = 1000

/**
 * Phones that should record and are not heard of: not seen for a day, for three; or seen, and without a recording for more than thrice the gap
 * that is usual for them.
 */
export const SILENCES = ['silent', 'long_silent', 'silent_but_alive'] as const
export type Silence = (typeof SILENCES)[number]

/** Days without a sign of life, or with one, by which lists of devices can be narrowed. */
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
  /** Left out for want of a licence. */
  unlicensed_services: z.array(z.enum(DEVICE_SERVICES)),
  imeis: z.array(z.string()),
  email: z.nullable(z.string()),
  first_name: z.nullable(z.string()),
  surname: z.nullable(z.string()),
  last_seen: z.nullable(EpochSeconds),
  /** As it was found last, every ten minutes; null: it is not silent, or not to record anything. */
  silence: z.nullable(z.enum(SILENCES)),
  /** When its newest recording was made, as listed; null: it has brought none. */
  last_payload_at: z.nullable(EpochSeconds),
  /** Seconds between two recordings that are usual for it; null: it has brought none. */
  usual_gap: z.nullable(z.int()),
  is_deactivated: z.boolean(),
  deactivation_date: z.nullable(EpochSeconds),
  activated_at: z.nullable(EpochSeconds),
  blocked_at: z.nullable(EpochSeconds),
  blocked_by: z.nullable(z.string()),
  proof: z.enum(DEVICE_PROOFS),
  /** Since when it waits for confirmation, and why; null: it does not. What waits and is blocked was rejected, or is lost. */
  waiting_since: z.nullable(EpochSeconds),
  waiting_reason: z.nullable(z.enum(WAITING_REASONS)),
  /** The claimed holder of a waiting phone. */
  requested_user_reference: z.nullable(DeviceUserReference),
  /** How many payloads it has brought since it waits, counted up to one more than `WAITING_COUNT_LIMIT`; null: it does not wait. */
  waiting_payloads: z.nullable(z.int()),
  /** The device whose hardware it has, or had until another one was confirmed to be it. */
  same_hardware_as: z.nullable(DeviceReference),
  is_legacy: z.boolean(),
  /** As the former platform wrote it, without country code. */
  legacy_phone_number: z.nullable(LocalPhoneNumber),
  /** Those that it has now. */
  phone_numbers: z.array(DeviceNumber),
  model: z.nullable(z.string()),
  os_version: z.nullable(z.string()),
  app_version: z.nullable(z.string()),
  serial_number: z.nullable(z.string()),
  /** Of its push service. */
  fcm_token: z.nullable(z.string()),
  installation_id: z.nullable(z.string()),
  /** Whether a present or former holder is on legal hold; absent: the caller may not know. */
  is_held: z.optional(z.boolean()),
  updated_at: EpochSeconds,
  updated_by: z.string(),
})
export type Device = z.output<typeof Device>

/** Who held a device when, newest first. Times out of the caller's groups have neither person nor group. */
export const DeviceHistory = z.strictObject({
  device_reference: DeviceReference,
  history: z.array(
    z.strictObject({
      from: EpochSeconds,
      /** Null: until now. */
      to: z.nullable(EpochSeconds),
      device_user_reference: z.nullable(DeviceUserReference),
      group: z.nullable(GroupReference),
    }),
  ),
})
export type DeviceHistory = z.output<typeof DeviceHistory>

const byReference = z.object({ client: ClientReference, device_reference: DeviceReference })

const act = {
  method: 'POST',
  portal: 'admin',
  authentication: 'portal',
  concerns: 'groups',
  params: byReference,
  response: Device,
  problems: ['not_found'],
} as const

export const fleetEndpoints = endpoints({
  listDevices: {
    method: 'GET',
    portal: 'admin',
    path: 'devices',
    authentication: 'portal',
    action: 'devices:list',
    concerns: 'groups',
    support: true,
    summary: 'The phones within the caller’s groups',
    params: inClient,
    query: {
      ...pageQuery,
      /** Beginnings of the reference, of a serial number or IMEI, of words of the holder’s name; a number as in `number`. */
      search: z.optional(name(1, 255)),
      /** The phones that have it or had it: whole, or its last digits from four on. */
      number: z.optional(text(1, 255)),
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      services: z.optional(uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)),
      states: z.optional(uniqueList(z.enum(DEVICE_STATES), 1, DEVICE_STATES.length)),
      /** Not seen for so many days; what was never seen is not silent, but pending. */
      silent_days: z.optional(z.enum(SILENT_DAYS)),
      silences: z.optional(uniqueList(z.enum(SILENCES), 1, SILENCES.length)),
      /** Seen within so many days. */
      seen_days: z.optional(z.enum(SILENT_DAYS)),
      app_version: z.optional(text(1, 255)),
      os_version: z.optional(text(1, 255)),
      is_legacy: z.optional(queryBoolean()),
      proofs: z.optional(uniqueList(z.enum(DEVICE_PROOFS), 1, DEVICE_PROOFS.length)),
      /** Phones that wait for confirmation, without rejected ones. */
      is_waiting: z.optional(queryBoolean()),
      /** For those who may list legal holds; to others neither is shown. */
      is_held: z.optional(queryBoolean()),
    },
    response: pageOf(Device),
    problems: ['invalid_cursor'],
  },
  readDevice: {
    method: 'GET',
    portal: 'admin',
    path: 'devices/{device_reference}',
    authentication: 'portal',
    action: 'devices:read',
    concerns: 'groups',
    support: true,
    summary: 'A phone',
    params: byReference,
    response: Device,
    problems: ['not_found'],
  },
  readDeviceHistory: {
    method: 'GET',
    portal: 'admin',
    path: 'devices/{device_reference}/history',
    authentication: 'portal',
    action: 'devices.history:read',
    concerns: 'groups',
    support: true,
    summary: 'Who held a phone when',
    params: byReference,
    response: DeviceHistory,
    problems: ['not_found'],
  },
  deactivateDevice: {
    ...act,
    path: 'devices/{device_reference}/deactivate',
    action: 'devices:deactivate',
    summary: 'Ends the tokens of a phone until it authenticates again',
  },
  blockDevice: {
    ...act,
    path: 'devices/{device_reference}/block',
    action: 'devices:block',
    summary: 'A phone is lost or stolen: refuses it, whatever it proves, until somebody lifts the block',
  },
  unblockDevice: {
    ...act,
    path: 'devices/{device_reference}/unblock',
    action: 'devices:unblock',
    summary: 'Lifts the block of a phone that was found: it may authenticate again',
  },
  deleteDevice: {
    method: 'DELETE',
    portal: 'admin',
    path: 'devices/{device_reference}',
    authentication: 'portal',
    action: 'devices:delete',
    concerns: 'groups',
    summary: 'Deactivates a phone and hides it until it authenticates again; what it recorded stays',
    description: 'Not while a legal hold keeps whoever has it or had it.',
    params: byReference,
    response: z.strictObject({}),
    problems: ['not_found', 'held', 'wrong_state'],
  },
  listDevicesOfUser: {
    method: 'GET',
    portal: 'admin',
    path: 'users/{device_user_reference}/devices',
    authentication: 'portal',
    action: 'users.devices:list',
    concerns: 'groups',
    support: true,
    summary: 'The phones that a device user holds',
    params: z.object({ client: ClientReference, device_user_reference: DeviceUserReference }),
    query: { ...pageQuery },
    response: pageOf(Device),
    problems: ['not_found', 'invalid_cursor'],
  },
})
