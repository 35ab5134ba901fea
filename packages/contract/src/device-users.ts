import * as z from 'zod/mini'
import { ESCALATE, stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import {
  BATCH_LIMIT,
  ClientReference,
  Count,
  DeviceUserReference,
  Email,
  EpochSeconds,
  GroupReference,
  name,
  PersonName,
  queryBoolean,
  uniqueList,
} from './scalars.ts'

/** Maximum of the expected number of devices per person. */
export const EXPECTED_DEVICES_LIMIT = 1000

/** Body of a save; the path contains the reference. */
export const DeviceUserInput = z.strictObject({
  group: GroupReference,
  services: uniqueList(z.enum(DEVICE_SERVICES), 0, DEVICE_SERVICES.length),
  expected_device_count: z._default(z.int().check(z.gte(0), z.lte(EXPECTED_DEVICES_LIMIT)), 1),
  email: z.nullable(Email),
  first_name: z.nullable(PersonName),
  surname: z.nullable(PersonName),
  /** False offboards, true onboards (again). */
  is_active: z._default(z.boolean(), true),
})
export type DeviceUserInput = z.output<typeof DeviceUserInput>

export const DeviceUser = z.strictObject({
  device_user_reference: DeviceUserReference,
  ...DeviceUserInput.def.shape,
  expected_device_count: Count,
  is_active: z.boolean(),
  /** Times of the last onboarding and the offboarding after it. */
  onboard_date: z.nullable(EpochSeconds),
  offboard_date: z.nullable(EpochSeconds),
  is_legacy: z.boolean(),
  /** Activated phones that the person holds. */
  actual_device_count: Count,
  /** Whether the person is on legal hold; absent: the caller lacks the right. */
  is_held: z.optional(z.boolean()),
  ...stored,
})
export type DeviceUser = z.output<typeof DeviceUser>

/** Comparison of the actual and the expected number of devices. */
export const DEVICE_COUNTS = ['fewer', 'as_expected', 'more'] as const

const byReference = z.object({ client: ClientReference, device_user_reference: DeviceUserReference })

const saveUser = {
  portal: 'admin',
  path: 'users/{device_user_reference}',
  authentication: 'portal',
  concerns: 'groups',
  powers: [ESCALATE],
  params: byReference,
  body: DeviceUserInput,
  response: DeviceUser,
} as const

export const deviceUserEndpoints = endpoints({
  listDeviceUsers: {
    method: 'GET',
    portal: 'admin',
    path: 'users',
    authentication: 'portal',
    action: 'users:list',
    concerns: 'groups',
    support: true,
    summary: 'List the device users within the caller’s groups',
    params: inClient,
    query: {
      ...pageQuery,
      search: z.optional(name(1, 255)),
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      services: z.optional(uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)),
      is_active: z.optional(queryBoolean()),
      is_legacy: z.optional(queryBoolean()),
      devices: z.optional(z.enum(DEVICE_COUNTS)),
      /** Requires the right to list legal holds; otherwise the result is empty. */
      is_held: z.optional(queryBoolean()),
    },
    response: pageOf(DeviceUser),
    problems: ['invalid_cursor'],
  },
  readDeviceUser: {
    method: 'GET',
    portal: 'admin',
    path: 'users/{device_user_reference}',
    authentication: 'portal',
    action: 'users:read',
    concerns: 'groups',
    support: true,
    summary: 'Show a device user',
    params: byReference,
    response: DeviceUser,
    problems: ['not_found'],
  },
  createDeviceUser: {
    ...saveUser,
    method: 'POST',
    action: 'users:create',
    support: true,
    summary: 'Create and onboard a device user',
    problems: ['already_exists', 'license_exceeded'],
  },
  updateDeviceUser: {
    ...saveUser,
    method: 'PUT',
    action: 'users:update',
    support: true,
    summary: 'Replace a device user: move, assign services, offboard or onboard',
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'escalation', 'license_exceeded'],
  },
  deleteDeviceUser: {
    method: 'DELETE',
    portal: 'admin',
    path: 'users/{device_user_reference}',
    authentication: 'portal',
    action: 'users:delete',
    concerns: 'groups',
    summary: 'Offboard and hide a device user; recordings keep the name',
    description: 'The server refuses it while the device user is on legal hold.',
    params: byReference,
    response: z.strictObject({}),
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'held', 'wrong_state'],
  },
})
