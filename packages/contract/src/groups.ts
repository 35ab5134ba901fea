import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, Group, GROUP_TAG_LIMIT, GroupTag, stored, verdict } from './access.ts'
import { ADMIN_GROUPS, del, endpoints, get, getPage, pageQuery, post, put } from './endpoint.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import { Count, name, queryBoolean, TagKey, TagValue } from './scalars.ts'

/** People and devices of a group, per service (spec section 3). */
export const GroupStats = z.strictObject({
  device_users: Count,
  expected_devices: Count,
  actual_devices: Count,
  services: z.record(
    z.enum(DEVICE_SERVICES),
    z.strictObject({
      used_licenses: Count,
      expected_devices: Count,
      active_devices: Count,
      active_users: Count,
    }),
  ),
})
export type GroupStats = z.output<typeof GroupStats>

export const StoredGroup = z.strictObject({ ...Group.def.shape, stats: GroupStats, ...stored })
export type StoredGroup = z.output<typeof StoredGroup>

/** Body of a save; the path contains the name. The domain's `checkGroupTags` refuses repeated keys, each at its own path. */
export const GroupInput = z.strictObject({ tags: z.array(GroupTag).check(z.maxLength(GROUP_TAG_LIMIT)) })
export type GroupInput = z.output<typeof GroupInput>

export const groupEndpoints = endpoints({
  listGroups: {
    ...get(ADMIN_GROUPS, 'groups'),
    action: 'groups:list',
    support: true,
    summary: 'List the groups of the client within the caller’s reach',
    query: {
      ...pageQuery,
      search: z.optional(name(1, 255)),
      tag_key: z.optional(TagKey),
      tag_value: z.optional(TagValue),
    },
    response: getPage(StoredGroup),
  },
  readGroup: {
    ...get(ADMIN_GROUPS, 'groups/{group_reference}'),
    action: 'groups:read',
    support: true,
    summary: 'Show a group with its tags and statistics',
    response: StoredGroup,
    problems: ['not_found'],
  },
  saveGroup: {
    ...put(ADMIN_GROUPS, 'groups/{group_reference}'),
    action: 'groups:update',
    support: true,
    powers: [ESCALATE],
    summary: 'Create or replace a group; required tags get their default',
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: GroupInput,
    response: StoredGroup,
    problems: ['already_exists', 'changed_meanwhile', 'locks_out', 'escalation'],
  },
  reviewGroup: {
    ...post(ADMIN_GROUPS, 'groups/{group_reference}/review'),
    action: 'groups:review',
    support: true,
    summary: 'Preview the impact of a group',
    body: GroupInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
  deleteGroup: {
    ...del(ADMIN_GROUPS, 'groups/{group_reference}'),
    action: 'groups:delete',
    summary: 'Delete an empty group',
    response: z.strictObject({}),
    problems: ['not_found', 'in_use', 'already_exists', 'changed_meanwhile'],
  },
})
