import { fault, PATTERN_LIMITS } from '@custodia/contract'
import type { Condition, Fault, Permission } from '@custodia/contract'
import type { RoleRules } from './compile-role.ts'
import { parseCidr } from './networks.ts'
import { compilePattern } from './patterns.ts'

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
    .flatMap(({ actions_matching, conditions = [] }) => [actions_matching, ...conditions.flatMap(listsOf)])
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
  if (listsOf(condition).length === 0) {
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

function listsOf(condition: Condition): string[][] {
  return CONDITION_LISTS.flatMap((name) => (condition[name] ? [condition[name]] : []))
}
