import * as z from 'zod/mini'
import { Fault } from './fault.ts'
import { PayloadType } from './payload-types.ts'
import {
  authors,
  CidrRange,
  ClientReference,
  Count,
  EpochSeconds,
  GroupReference,
  RoleReference,
  TagKey,
  TagValue,
  prose,
  text,
  uniqueList,
} from './scalars.ts'

/** Limits for patterns that users write (docs/access.md). They keep a match far below a millisecond. */
export const PATTERN_LIMITS = {
  characters: 128,
  /** Maximum of one list, and of one permission with its conditions. */
  per_list: 50,
  conditions: 20,
  permissions: 100,
  /** Maximum of a whole role when the user saves it. */
  per_role: 1000,
} as const

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
      error: 'no_patterns',
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
  description: z.optional(prose(0, 1000)),
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

/** The action with which a role may go beyond its own reach when it grants rights; each use raises a High alert. */
export const ESCALATE = 'access:escalate'

/**
 * Fields of every stored record: its client (spec section 3) and its last change. `version` is for `If-Match` (RFC
 * 9110).
 */
export const stored = {
  client: ClientReference,
  version: z.string(),
  updated_at: z.nullable(EpochSeconds),
  ...authors({ updated_by: z.nullable(z.string()) }),
}

/** The last author of a record with separate change records: a person, `device`, or a part of the system. */
export const UpdatedBy = z.string()

/** The first names of a list and its total. */
export const Sample = z.strictObject({
  is_all: z.boolean(),
  count: Count,
  first: z.array(z.string()),
  /** Only groups that the reader sees are counted and named; there may be others. */
  is_partial: z.optional(z.boolean()),
})
export type Sample = z.output<typeof Sample>

/** A right that the change grants beyond the actor's own rights. */
export const Excess = z.strictObject({
  /** An action, or `alerts.ops_read` and the like for an alert permission. */
  action: z.string(),
  /** The missing part: the right itself; the right outside some networks; or the right without an alert. */
  limit: z.enum(['reach', 'networks', 'watch']),
  payload_types: z.array(PayloadType),
  groups: Sample,
})
export type Excess = z.output<typeof Excess>

/** The change of a role's reach. */
export const RoleImpact = z.strictObject({
  role_reference: RoleReference,
  actions_gained: z.array(z.string()),
  actions_lost: z.array(z.string()),
  groups_gained: Sample,
  groups_lost: Sample,
})
export type RoleImpact = z.output<typeof RoleImpact>

/** The effect of a save on people's rights: previewed before, and validated again at the save. */
export const AccessImpact = z.strictObject({
  /** The caller could no longer undo it: saving needs `confirm_lockout`. */
  locks_out: z.boolean(),
  /** What would be granted beyond the caller's own reach: saving needs the action `access:escalate`. */
  escalations: z.array(Excess),
  may_escalate: z.boolean(),
  /** Roles whose reach changes. */
  roles: z.array(RoleImpact),
  /** How many such roles are omitted, because the reader may not list roles. */
  hidden_roles: z.optional(Count),
})
export type AccessImpact = z.output<typeof AccessImpact>

/** Faults that refuse, and remarks that do not. */
export const verdict = { problems: z.array(Fault), warnings: z.array(Fault) }
