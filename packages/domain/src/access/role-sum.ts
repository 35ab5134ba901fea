import {
  ACCOUNT_ACTIONS,
  type Condition,
  type PayloadType,
  type Permission,
  type Role,
} from '@custodia/contract'
import {
  type AccessGroup,
  type GroupIndex,
  LATER_GROUPS,
  NOWHERE,
  type Reach,
  WITHOUT_GROUP,
} from './group-index.ts'
import { compileNetworks, type Networks } from './networks.ts'
import { caching, compileList, type Pattern } from './patterns.ts'

/**
 * Turns a saved role into bit sets per action, so that no pattern is matched while a request waits.
 *
 * Rules (spec section 6): properties of one condition are ANDed, key and value must hold on the same tag; several
 * conditions are ORed; a denied condition excludes. A pattern that cannot be used (it was never accepted by
 * `checkRole`, so it came another way) counts so that less is allowed: it never matches in an allow, always in a deny.
 */

/** What a role says, as saved; its description does not matter here. */
export type RoleRules = Pick<
  Role,
  'role_reference' | 'permissions' | 'payload_types' | 'cidr_ranges' | 'alert_permissions' | 'is_alertable'
>

export type CompiledRole = {
  role_reference: string
  groupIndex: GroupIndex
  payload_types: readonly PayloadType[] | 'all'
  networks: Networks
  alert_permissions: Role['alert_permissions']
  is_alertable: boolean
  /** Action → where the role grants it. An action that is granted for no group that exists stands here with an empty reach. */
  allow: ReadonlyMap<string, Reach>
  /** Action → where the role forbids it, for every role of the same person. */
  deny: ReadonlyMap<string, Reach>
}

/** Compiles a role against the groups of its client and the closed list of actions (`payloads:play`, …). */
export function compileRole(
  role: RoleRules,
  groupIndex: GroupIndex,
  actions: readonly string[],
): CompiledRole {
  const allow = new Map<string, Reach>()
  const deny = new Map<string, Reach>()
  for (const permission of role.permissions) {
    const { is_denied, matches, reach } = compilePermission(permission, groupIndex)
    const side = is_denied ? deny : allow
    for (const action of actions) {
      if (matches(action)) side.set(action, (side.get(action) ?? NOWHERE) | reach)
    }
  }
  return withReaches(role, { groupIndex, allow, deny })
}

/** The compiled role of which it is known where it grants and forbids. */
export const withReaches = (
  role: RoleRules,
  reaches: Pick<CompiledRole, 'groupIndex' | 'allow' | 'deny'>,
): CompiledRole => ({
  role_reference: role.role_reference,
  // None means all types (spec section 6).
  payload_types: role.payload_types.length > 0 ? role.payload_types : 'all',
  networks: compileNetworks(role.cidr_ranges),
  alert_permissions: role.alert_permissions,
  is_alertable: role.is_alertable,
  ...reaches,
})

export type CompiledPermission = {
  is_denied: boolean
  /** Its action patterns, in their order. */
  patterns: readonly Pattern[]
  matches: (action: string) => boolean
  /** Where it grants or forbids. */
  reach: Reach
}

/** Compiles one permission of a role. */
export function compilePermission(permission: Permission, groupIndex: GroupIndex): CompiledPermission {
  const is_denied = permission.is_denied ?? false
  const { patterns, is_usable, matches } = compileList(permission.actions_matching, permission)
  return {
    is_denied,
    patterns,
    matches: is_denied && !is_usable ? () => true : matches,
    reach: getReach(permission, groupIndex),
  }
}

/**
 * Where a permission holds. Without conditions: everywhere. A conditional allow holds for known groups only. A
 * conditional deny also covers groups created later (their names are not known yet) and, when it only has
 * exceptions ("not for North"), what belongs to no group. The reserved group meets no condition: it counts like what belongs to none.
 */
function getReach({ is_denied = false, conditions }: Permission, groupIndex: GroupIndex): Reach {
  if (!conditions?.length) return groupIndex.everything
  const wanted = conditions.filter((c) => !c.is_denied).map((c) => fits(c, is_denied))
  const unwanted = conditions.filter((c) => c.is_denied).map((c) => fits(c, !is_denied))
  const groups = groupIndex.where(
    (group) =>
      !group.is_reserved &&
      (wanted.length === 0 || wanted.some((test) => test(group))) &&
      !unwanted.some((test) => test(group)),
  )
  if (!is_denied) return groups
  return groups | LATER_GROUPS | (wanted.length === 0 ? WITHOUT_GROUP | groupIndex.reserved : NOWHERE)
}

/** `ifUncertain`: the answer when a pattern cannot be used, or the condition says nothing. */
function fits(condition: Condition, ifUncertain: boolean): (group: AccessGroup) => boolean {
  const { names_matching, keys_matching, values_matching } = condition
  const [names, keys, values] = [names_matching, keys_matching, values_matching].map((list) =>
    list ? compileList(list, condition) : undefined,
  )
  if (!names && !keys && !values) return () => ifUncertain
  if (ifUncertain && [names, keys, values].some((list) => list && !list.is_usable)) return () => true
  const name = names?.matches ?? anything
  if (!keys && !values) return (group) => name(group.group_reference)
  const key = keys ? caching(keys.matches) : anything
  const value = values ? caching(values.matches) : anything
  return (group) => name(group.group_reference) && group.tags.some((tag) => key(tag.key) && value(tag.value))
}

/** The condition of an absent list. */
const anything = (): boolean => true

/** Several roles of one person or client app, read together as bit sets. */
type RoleSum = {
  /** Undefined without roles. */
  groupIndex: GroupIndex | undefined
  denied: (action: string) => Reach
  /** Where a role grants the action, for the payload type if one is asked for, and none forbids it. */
  reach: (action: string, payload_type?: PayloadType) => Reach
  /** The known groups to which the person is confined, never the reserved one; everything when not confined. */
  confinement: Reach
}

/**
 * Combines roles (spec section 6). `granting` are those whose networks admit the caller; the others of `roles` only
 * forbid. Outside `actions`, if given, nothing is granted.
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
