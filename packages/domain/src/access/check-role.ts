import { PATTERN_LIMITS } from '@custodia/contract'
import type { Condition, Permission } from '@custodia/contract'
import type { RoleRules } from './compile-role.ts'
import { parseCidr } from './networks.ts'
import { compilePattern } from './patterns.ts'
import type { PatternProblem } from './patterns.ts'

export type RoleProblem = {
  /** Place in the role, dotted: `permissions.0.conditions.1.keys_matching.2`. */
  path: string
  code: PatternProblem | 'too_many_patterns' | 'no_patterns' | 'cidr' | 'matches_no_action'
  message: string
}

const CONDITION_LISTS = ['names_matching', 'keys_matching', 'values_matching'] as const

/**
 * Judges a role about to be saved, beyond its shape. `problems` refuse it. `warnings` say which action patterns
 * match none of the known actions: allowed, but most often a slip.
 */
export function checkRole(
  role: Pick<RoleRules, 'permissions' | 'cidr_ranges'>,
  actions: readonly string[],
): { problems: RoleProblem[]; warnings: RoleProblem[] } {
  const problems: RoleProblem[] = []
  const warnings: RoleProblem[] = []
  role.permissions.forEach((permission, i) => {
    const path = `permissions.${i}`
    problems.push(...checkPermission(permission, path))
    permission.actions_matching.forEach((source, k) => {
      const pattern = compilePattern(source, permission)
      if (pattern.ok && !actions.some(pattern.matches)) {
        warnings.push({
          path: `${path}.actions_matching.${k}`,
          code: 'matches_no_action',
          message: `“${source}” matches no action.`,
        })
      }
    })
  })
  role.cidr_ranges.forEach((range, i) => {
    if (parseCidr(range)) return
    problems.push({ path: `cidr_ranges.${i}`, code: 'cidr', message: `“${range}” is not a CIDR range.` })
  })
  return { problems, warnings }
}

function checkPermission(permission: Permission, path: string): RoleProblem[] {
  const conditions = permission.conditions ?? []
  const count = [permission.actions_matching, ...conditions.flatMap(listsOf)].reduce(
    (n, list) => n + list.length,
    0,
  )
  if (count > PATTERN_LIMITS.per_list) {
    const message = `A permission can have at most ${PATTERN_LIMITS.per_list} patterns, its conditions included.`
    return [{ path, code: 'too_many_patterns', message }]
  }
  return [
    ...checkList(permission.actions_matching, permission, `${path}.actions_matching`),
    ...conditions.flatMap((condition, i) => checkCondition(condition, `${path}.conditions.${i}`)),
  ]
}

function checkCondition(condition: Condition, path: string): RoleProblem[] {
  if (listsOf(condition).length === 0) {
    return [{ path, code: 'no_patterns', message: 'A condition needs group names, tag keys or tag values.' }]
  }
  return CONDITION_LISTS.flatMap((name) => {
    const list = condition[name]
    return list ? checkList(list, condition, `${path}.${name}`) : []
  })
}

function checkList(list: readonly string[], options: { is_regex?: boolean }, path: string): RoleProblem[] {
  if (list.length === 0) return [{ path, code: 'no_patterns', message: 'Give at least one pattern.' }]
  return list.flatMap((source, i) => {
    const pattern = compilePattern(source, options)
    return pattern.ok ? [] : [{ path: `${path}.${i}`, code: pattern.code, message: pattern.message }]
  })
}

function listsOf(condition: Condition): string[][] {
  return CONDITION_LISTS.flatMap((name) => (condition[name] ? [condition[name]] : []))
}
