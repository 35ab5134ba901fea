import * as z from 'zod/mini'
import { ESCALATE, stored } from './access.ts'
import { ADMIN_GROUPS, del, endpoints, get, getPage, pageQuery, post, sortedBy } from './endpoint.ts'
import { Fault, RowProblem } from './fault.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import {
  BATCH_LIMIT,
  Count,
  DeviceReference,
  DeviceUserReference,
  Email,
  EpochSeconds,
  GroupReference,
  name,
  PersonName,
  queryBoolean,
  text,
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
  /** Activated devices that the person holds. */
  actual_device_count: Count,
  /** Whether the person is on legal hold; absent: the caller lacks the right. */
  is_held: z.optional(z.boolean()),
  ...stored,
})
export type DeviceUser = z.output<typeof DeviceUser>

/** Comparison of the actual and the expected number of devices. */
export const DEVICE_COUNTS = ['fewer', 'as_expected', 'more'] as const

export const deviceUserFilters = {
  search: z.optional(name(1, 255)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  services: z.optional(uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)),
  is_active: z.optional(queryBoolean()),
  is_legacy: z.optional(queryBoolean()),
  devices: z.optional(z.enum(DEVICE_COUNTS)),
  /** Requires the right to list legal holds; otherwise the result is empty. */
  is_held: z.optional(queryBoolean()),
}

const saveUser = {
  ...ADMIN_GROUPS,
  path: 'users/{device_user_reference}',
  powers: [ESCALATE],
  body: DeviceUserInput,
  response: DeviceUser,
} as const

export const deviceUserEndpoints = endpoints({
  listDeviceUsers: {
    ...get(ADMIN_GROUPS, 'users'),
    action: 'users:list',
    support: true,
    summary: 'List the device users within the caller’s groups',
    query: { ...pageQuery, ...deviceUserFilters, sort: sortedBy('name', 'email', 'group', 'onboard_date') },
    response: getPage(DeviceUser),
  },
  readDeviceUser: {
    ...get(ADMIN_GROUPS, 'users/{device_user_reference}'),
    action: 'users:read',
    support: true,
    summary: 'Show a device user',
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
    ...del(ADMIN_GROUPS, 'users/{device_user_reference}'),
    action: 'users:delete',
    summary: 'Offboard and hide a device user; recordings keep the name',
    description: 'The server refuses it while the device user is on legal hold.',
    response: z.strictObject({}),
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'held', 'wrong_state'],
  },
})

/** A person's recordings that a device has not uploaded yet. */
export const DeviceQueue = z.strictObject({
  device_reference: DeviceReference,
  model: z.nullable(z.string()),
  last_seen: z.nullable(EpochSeconds),
  /** Announced recordings without data, or with a requested retry. */
  waiting: Count,
  /** When the oldest of them was recorded. */
  oldest: z.nullable(EpochSeconds),
  /** Not seen since the person was offboarded, so its queue is unknown. */
  is_unseen: z.boolean(),
})
export type DeviceQueue = z.output<typeof DeviceQueue>

export const deviceUserQueueEndpoints = endpoints({
  readUserQueue: {
    ...get(ADMIN_GROUPS, 'users/{device_user_reference}/queue'),
    action: 'users.queue:read',
    support: true,
    summary: 'Show the pending uploads of the devices of a device user',
    response: z.strictObject({ devices: z.array(DeviceQueue), is_empty: z.boolean() }),
    problems: ['not_found'],
  },
})

/** Maximum lines of one call; the portal sends a longer file in parts. */
export const IMPORT_ROWS_LIMIT = 500
/** Maximum characters of a cell. It exceeds every field, so that a long value is a fault of its line only. */
export const IMPORT_CELL_LIMIT = 300

/** The columns of a file of device users, as its first line names them. */
export const IMPORT_COLUMNS = [
  'device_user_reference',
  'group',
  'services',
  'expected_device_count',
  'email',
  'first_name',
  'surname',
  'is_active',
] as const
export type ImportColumn = (typeof IMPORT_COLUMNS)[number]

const cell = z.optional(text(0, IMPORT_CELL_LIMIT))

/**
 * A line of the file. A missing column or an empty cell leaves the value unchanged, but an empty name or address
 * removes it. Semicolons separate services; new people without any get all, as an HR file has no such column.
 */
const ImportRow = z.strictObject({
  device_user_reference: cell,
  group: cell,
  services: cell,
  expected_device_count: cell,
  email: cell,
  first_name: cell,
  surname: cell,
  is_active: cell,
} satisfies Record<ImportColumn, typeof cell>)
export type ImportRow = z.output<typeof ImportRow>

export const IMPORT_OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const

/** Actual or previewed outcome of each line. */
const ImportAnswer = z.strictObject({
  rows: z.array(
    z.strictObject({
      outcome: z.enum(IMPORT_OUTCOMES),
      /** Reason for the refusal, other than faults of cells. */
      problem: z.optional(RowProblem),
      faults: z.array(Fault),
    }),
  ),
})
export type ImportAnswer = z.output<typeof ImportAnswer>

const importing = {
  ...ADMIN_GROUPS,
  body: z.strictObject({ rows: z.array(ImportRow).check(z.minLength(1), z.maxLength(IMPORT_ROWS_LIMIT)) }),
  bodyLimit: 4 * 1024 ** 2,
  response: ImportAnswer,
} as const

export const deviceUserImportEndpoints = endpoints({
  importDeviceUsers: {
    ...post(importing, 'user_imports'),
    action: 'users:import',
    summary: 'Import device users line by line; valid lines take effect',
  },
  reviewDeviceUserImport: {
    ...post(importing, 'user_imports/review'),
    action: 'users:review',
    summary: 'Preview an import of device users',
  },
})
