import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { clientQuery, pageOf, pageQuery } from './paging.ts'
import { PayloadType } from './payload-types.ts'
import {
  CidrRange,
  ClientReference,
  GroupReference,
  RoleReference,
  TagKey,
  TagValue,
  text,
  uniqueList,
} from './scalars.ts'

/** Limits for patterns that users write (see docs/security.md): matching stays far below a millisecond. */
export const PATTERN_LIMITS = { characters: 128, per_list: 50, conditions: 20, permissions: 100 } as const

const Patterns = z
  .array(text(1, PATTERN_LIMITS.characters))
  .check(z.minLength(1), z.maxLength(PATTERN_LIMITS.per_list))

/** Restricts a permission to groups by name, tag key and tag value; at least one property (spec section 3). */
export const Condition = z
  .strictObject({
    names_matching: z.optional(Patterns),
    keys_matching: z.optional(Patterns),
    values_matching: z.optional(Patterns),
    is_denied: z.optional(z.boolean()),
    is_regex: z.optional(z.boolean()),
  })
  .check(
    z.refine((value) => Object.values(value).some((property) => property !== undefined), {
      error: 'too_few',
    }),
  )
export type Condition = z.output<typeof Condition>

/** Allows or denies the actions whose names match (spec section 6). */
export const Permission = z.strictObject({
  actions_matching: Patterns,
  is_denied: z.optional(z.boolean()),
  is_regex: z.optional(z.boolean()),
  conditions: z.optional(z.array(Condition).check(z.maxLength(PATTERN_LIMITS.conditions))),
})
export type Permission = z.output<typeof Permission>

export const ALERT_PERMISSIONS = ['ops_read', 'ops_write', 'sec_read', 'sec_write'] as const

export const Role = z.strictObject({
  role_reference: RoleReference,
  description: z.optional(text(0, 1000)),
  permissions: z.array(Permission).check(z.minLength(1), z.maxLength(PATTERN_LIMITS.permissions)),
  /** None means all types (spec section 6). */
  payload_types: uniqueList(PayloadType, 0, 10),
  cidr_ranges: uniqueList(CidrRange, 0, 100),
  alert_permissions: z.strictObject({
    ops_read: z.boolean(),
    ops_write: z.boolean(),
    sec_read: z.boolean(),
    sec_write: z.boolean(),
  }),
  is_alertable: z.boolean(),
  is_system: z.boolean(),
})
export type Role = z.output<typeof Role>

export const GroupTag = z.strictObject({ key: TagKey, value: TagValue })
export type GroupTag = z.output<typeof GroupTag>
/** Tags of one group (spec section 9). */
export const GROUP_TAG_LIMIT = 50
export const Group = z.strictObject({
  group_reference: GroupReference,
  tags: uniqueList(GroupTag, 0, GROUP_TAG_LIMIT),
})
export type Group = z.output<typeof Group>

const inClient = z.object({ client: ClientReference })

export const accessEndpoints = endpoints({
  listGroups: {
    method: 'GET',
    portal: 'admin',
    path: 'groups',
    authentication: 'portal',
    action: 'groups:list',
    summary: 'The groups of the client that the caller may see',
    params: inClient,
    query: z.strictObject({ ...clientQuery, ...pageQuery, search: z.optional(text(1, 255)) }),
    response: pageOf(Group),
    problems: ['invalid_cursor'],
  },
  listRoles: {
    method: 'GET',
    portal: 'admin',
    path: 'roles',
    authentication: 'portal',
    action: 'roles:list',
    summary: 'The roles of the client, system roles included',
    params: inClient,
    query: z.strictObject({ ...clientQuery, ...pageQuery }),
    response: pageOf(Role),
    problems: ['invalid_cursor'],
  },
})
