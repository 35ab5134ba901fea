import { type ActionPreview, type Fault, type Sample } from '@custodia/contract'
import { checkRole } from './check-role.ts'
import { compilePermission } from './compile-role.ts'
import type { RoleRules } from './compile-role.ts'
import { NOWHERE, WITHOUT_GROUP } from './group-index.ts'
import type { GroupIndex, Reach } from './group-index.ts'
import { isConfined } from './role-sum.ts'

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
  const sample = samplerOf(groupIndex)
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
function samplerOf(groupIndex: GroupIndex): (reach: Reach) => Sample {
  const known = new Map<Reach, Sample>()
  return (reach) => {
    let sample = known.get(reach)
    if (!sample) known.set(reach, (sample = groupIndex.sample(reach)))
    return sample
  }
}
