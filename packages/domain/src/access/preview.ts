import {
  type ActionPreview,
  type Condition,
  type Fault,
  fault,
  PATTERN_LIMITS,
  type Permission,
  type Sample,
} from '@custodia/contract'
import { type GroupIndex, NOWHERE, type Reach, WITHOUT_GROUP } from './group-index.ts'
import { parseCidr } from './networks.ts'
import { compilePattern } from './patterns.ts'
import { compilePermission, isConfined, type RoleRules } from './role-sum.ts'

const CONDITION_LISTS = ['names_matching', 'keys_matching', 'values_matching'] as const

/**
 * Judges a role about to be saved, beyond its shape; paths are dotted places in the role
 * (`permissions.0.conditions.1.keys_matching.2`). `problems` refuse it. `warnings` say which action patterns
 * match none of the known actions: allowed, but most often a slip.
 */
export function checkRole(
  role: Pick<RoleRules, 'permissions' | 'cidr_ranges'>,
  actions: readonly string[],
): { problems: Fault[]; warnings: Fault[] } {
  // A role over the size limit is not checked further.
  if (countPatterns(role.permissions) > PATTERN_LIMITS.per_role) {
    const problem = fault('permissions', 'too_many_patterns_in_role', { limit: PATTERN_LIMITS.per_role })
    return { problems: [problem], warnings: [] }
  }
  const problems: Fault[] = []
  const warnings: Fault[] = []
  role.permissions.forEach((permission, i) => {
    const path = `permissions.${i}`
    problems.push(...checkPermission(permission, path))
    permission.actions_matching.forEach((source, k) => {
      const pattern = compilePattern(source, permission)
      if (pattern.ok && !actions.some(pattern.matches)) {
        warnings.push(fault(`${path}.actions_matching.${k}`, 'matches_no_action'))
      }
    })
  })
  role.cidr_ranges.forEach((range, i) => {
    if (!parseCidr(range)) problems.push(fault(`cidr_ranges.${i}`, 'cidr'))
  })
  return { problems, warnings }
}

/** Patterns of permissions, those of their conditions included. */
const countPatterns = (permissions: readonly Permission[]): number =>
  permissions
    .flatMap(({ actions_matching, conditions = [] }) => [actions_matching, ...conditions.flatMap(getLists)])
    .reduce((count, list) => count + list.length, 0)

function checkPermission(permission: Permission, path: string): Fault[] {
  const conditions = permission.conditions ?? []
  if (countPatterns([permission]) > PATTERN_LIMITS.per_list) {
    return [fault(path, 'too_many_patterns', { limit: PATTERN_LIMITS.per_list })]
  }
  return [
    ...checkList(permission.actions_matching, permission, `${path}.actions_matching`),
    ...conditions.flatMap((condition, i) => checkCondition(condition, `${path}.conditions.${i}`)),
  ]
}

function checkCondition(condition: Condition, path: string): Fault[] {
  if (getLists(condition).length === 0) {
    return [fault(path, 'no_patterns')]
  }
  return CONDITION_LISTS.flatMap((name) => {
    const list = condition[name]
    return list ? checkList(list, condition, `${path}.${name}`) : []
  })
}

function checkList(list: readonly string[], options: { is_regex?: boolean }, path: string): Fault[] {
  if (list.length === 0) return [fault(path, 'too_few', { limit: 1 })]
  return list.flatMap((source, i) => {
    const pattern = compilePattern(source, options)
    if (pattern.ok) return []
    return [
      fault(`${path}.${i}`, pattern.code, { limit: PATTERN_LIMITS.characters, detail: pattern.message }),
    ]
  })
}

function getLists(condition: Condition): string[][] {
  return CONDITION_LISTS.flatMap((name) => (condition[name] ? [condition[name]] : []))
}

export type PermissionPreview = {
  /** Each action pattern with the known actions that it matches; none: most often a slip. */
  patterns: { pattern: string; actions: string[] }[]
  /** Where the permission holds. */
  groups: Sample
}

export type RolePreview = {
  /** Every known action, in the order given. */
  actions: ActionPreview[]
  permissions: PermissionPreview[]
  /** All groups that the role reaches with any action. */
  groups: Sample
  problems: Fault[]
  warnings: Fault[]
}

/**
 * What a role would match and reach by itself, saved or not. A pattern that cannot be used counts as in
 * `compileRole`: it never matches in an allow, always in a deny. A deny without any allow is `denied` too: it takes the action
 * from holders who have it by another role.
 */
export function previewRole(
  role: Pick<RoleRules, 'permissions' | 'cidr_ranges'>,
  groupIndex: GroupIndex,
  actions: readonly string[],
): RolePreview {
  const permissions = role.permissions.map((permission) => compilePermission(permission, groupIndex))
  const sample = getSampler(groupIndex)
  let overall = NOWHERE
  const previews = actions.map((action): ActionPreview => {
    const matching = permissions.flatMap((permission, i) =>
      permission.matches(action) ? [{ ...permission, i }] : [],
    )
    const allows = matching.filter((permission) => !permission.is_denied)
    const denies = matching.filter((permission) => permission.is_denied)
    const [allowed, denied] = [allows, denies].map((side) =>
      side.reduce((sum, permission) => sum | permission.reach, NOWHERE),
    ) as [Reach, Reach]
    const remaining = allowed & ~denied
    const isStruckOut = denies.length > 0 && remaining === NOWHERE
    const isUseless = allows.length > 0 && isConfined(action, remaining)
    const counted = isUseless ? NOWHERE : remaining
    overall |= counted
    return {
      action,
      outcome: isStruckOut ? 'denied' : isUseless ? 'confined' : allows.length > 0 ? 'allowed' : 'unmatched',
      allowed_by: allows.map(({ i }) => i),
      denied_by: denies.map(({ i }) => i),
      groups: sample(counted),
      struck: sample(allowed & denied),
      groupless: (remaining & WITHOUT_GROUP) !== NOWHERE,
    }
  })
  return {
    actions: previews,
    permissions: permissions.map(({ patterns, reach }, i) => ({
      patterns: patterns.map((pattern, k) => ({
        pattern: role.permissions[i]?.actions_matching[k] ?? '',
        actions: pattern.ok ? actions.filter(pattern.matches) : [],
      })),
      groups: sample(reach),
    })),
    groups: sample(overall),
    ...checkRole(role, actions),
  }
}

/** Many actions share one reach; each distinct one is counted once. */
function getSampler(groupIndex: GroupIndex): (reach: Reach) => Sample {
  const known = new Map<Reach, Sample>()
  return (reach) => {
    let sample = known.get(reach)
    if (!sample) known.set(reach, (sample = groupIndex.sample(reach)))
    return sample
  }
}
