import { ACCOUNT_ACTIONS } from '@custodia/contract'
import type { PayloadType, Role } from '@custodia/contract'
import type { CompiledRole } from './compile-role.ts'
import { NOWHERE, WITHOUT_GROUP } from './group-index.ts'
import type { GroupIndex, Reach } from './group-index.ts'

/** Several roles of one person or client app, read together as bit sets. */
export type RoleSum = {
  /** Undefined without roles. */
  groupIndex: GroupIndex | undefined
  /** Where any role forbids the action. */
  denied: (action: string) => Reach
  /** Where a role grants the action, for the payload type if one is asked for, and none forbids it. */
  reach: (action: string, payload_type?: PayloadType) => Reach
  /** The known groups to which the person is confined, never the reserved one; everything when not confined. */
  confinement: Reach
}

/**
 * Reads roles together (spec section 6). `granting` are those whose networks admit the caller; the others of
 * `roles` only forbid: leaving the office must not lift what a role forbids. Outside `actions`, if given, nothing is granted.
 */
export function sumRoles(
  roles: readonly CompiledRole[],
  granting: readonly CompiledRole[],
  group_references: readonly string[] | undefined,
  actions: ReadonlySet<string> | undefined,
): RoleSum {
  const groupIndex = roles[0]?.groupIndex
  if (roles.some((role) => role.groupIndex !== groupIndex)) {
    throw new Error('roles compiled against different groups cannot be evaluated together')
  }
  const denied = (action: string): Reach =>
    roles.reduce((sum, role) => sum | (role.deny.get(action) ?? NOWHERE), NOWHERE)
  return {
    groupIndex,
    denied,
    reach: (action, payload_type) => {
      if (actions?.has(action) === false) return NOWHERE
      const granted = granting
        .filter((role) => payload_type === undefined || covers(role, payload_type))
        .reduce((sum, role) => sum | (role.allow.get(action) ?? NOWHERE), NOWHERE)
      return granted & ~denied(action)
    },
    confinement: groupIndex ? confinementIn(groupIndex, group_references) : NOWHERE,
  }
}

/**
 * Whether a grant is of no use because the action concerns no group and is granted in groups only. Calls, profile,
 * previews and impacts decide by it.
 */
export const isConfined = (action: string, granted: Reach): boolean =>
  ACCOUNT_ACTIONS.has(action) && (granted & WITHOUT_GROUP) === NOWHERE

/** Whether the role counts for payloads of this type. */
export function covers(role: CompiledRole, payload_type: PayloadType): boolean {
  return role.payload_types === 'all' || role.payload_types.includes(payload_type)
}

/** Alert permissions add up over roles. */
export function sumAlertPermissions(roles: readonly CompiledRole[]): Role['alert_permissions'] {
  return {
    ops_read: roles.some((role) => role.alert_permissions.ops_read),
    ops_write: roles.some((role) => role.alert_permissions.ops_write),
    sec_read: roles.some((role) => role.alert_permissions.sec_read),
    sec_write: roles.some((role) => role.alert_permissions.sec_write),
  }
}

function confinementIn(groupIndex: GroupIndex, group_references: readonly string[] | undefined): Reach {
  if (!group_references) return groupIndex.everything
  const names = new Set(group_references)
  return groupIndex.where((group) => !group.is_reserved && names.has(group.group_reference))
}
