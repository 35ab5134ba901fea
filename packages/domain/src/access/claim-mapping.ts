import type { ClaimMapping, ClaimRule, GivenRole } from '@custodia/contract'

/** Values of the claims that give rights; absent: the token has no such claim. */
export interface ClaimValues {
  roles?: readonly string[] | undefined
  groups?: readonly string[] | undefined
  user_group?: string | undefined
}

/** What a person is assigned in the portal. */
export interface AssignedRights {
  roles: readonly string[]
  /** Groups to which the person is confined; null: not confined. */
  groups: readonly string[] | null
}

/** What the account gives where claims give nothing. */
export interface ClaimDefaults {
  role: string | null
  user_group: string | null
  /** Whether `role` also counts where the claims are there and give no role. */
  default_for_empty_roles: boolean
}

/** What claims make of a person. */
export interface ClaimedRights {
  roles: GivenRole[]
  /** Groups to which the person is confined; null: not confined. */
  groups: string[] | null
  user_group: string | null
  /** Values that give nothing. */
  unused: string[]
}

/**
 * Applies a mapping to the values of a person's claims, and the account's defaults to what is missing. Where roles are assigned in the
 * portal, `assigned` stands in place of the claims; undefined: the person has no assignment.
 */
export function applyMapping(
  mapping: ClaimMapping,
  values: ClaimValues,
  defaults: ClaimDefaults | undefined,
  assigned?: AssignedRights,
): ClaimedRights {
  if (mapping.roles_from === 'portal') return assignedRights(mapping, values, defaults, assigned)
  const { roles: namedRoles = [], groups: namedGroups = [] } = values
  const all = [...new Set([...namedRoles, ...namedGroups])]
  const rules = new Map(mapping.rules.map((rule) => [rule.value, rule]))
  const matched = all.flatMap((value) => rules.get(value) ?? [])
  const byName = (value: string) => mapping.accepts_names && !rules.has(value)
  const roles = distinct([
    ...namedRoles.filter(byName).map((role) => ({ role, source: 'claim' as const, value: role })),
    ...matched.flatMap(({ roles: given, value }) =>
      given.map((role) => ({ role, source: 'mapping' as const, value })),
    ),
  ])
  return {
    roles: roles.length > 0 ? roles : defaultRole(values, defaults),
    groups: confinement(mapping, values, matched, namedGroups.filter(byName)),
    user_group: values.user_group ?? defaults?.user_group ?? null,
    unused: mapping.accepts_names ? [] : all.filter((value) => !rules.has(value)),
  }
}

function assignedRights(
  { missing_groups }: ClaimMapping,
  { user_group }: ClaimValues,
  defaults: ClaimDefaults | undefined,
  assigned: AssignedRights | undefined,
): ClaimedRights {
  const roles = (assigned?.roles ?? []).map((role) => ({ role, source: 'assignment' as const, value: null }))
  return {
    roles: roles.length > 0 ? roles : defaultRole({}, defaults),
    groups: assigned ? assigned.groups && [...assigned.groups] : missing_groups === 'none' ? [] : null,
    user_group: user_group ?? defaults?.user_group ?? null,
    unused: [],
  }
}

/** A rule for all groups wins; else the groups of all rules and names add up. */
function confinement(
  { missing_groups }: ClaimMapping,
  values: ClaimValues,
  matched: readonly ClaimRule[],
  named: readonly string[],
): string[] | null {
  if (matched.some((rule) => rule.all_groups)) return null
  const groups = [...new Set([...named, ...matched.flatMap((rule) => rule.groups)])]
  const isSaid = values.groups !== undefined || groups.length > 0
  return isSaid || missing_groups === 'none' ? groups : null
}

function defaultRole({ roles }: ClaimValues, defaults: ClaimDefaults | undefined): GivenRole[] {
  if (!defaults?.role || (roles !== undefined && !defaults.default_for_empty_roles)) return []
  return [{ role: defaults.role, source: 'default', value: null }]
}

const distinct = (roles: readonly GivenRole[]): GivenRole[] =>
  [...new Map(roles.toReversed().map((each) => [each.role, each])).values()].toReversed()

/** What a change of a mapping can give a person that the mapping before could not. */
export interface MappingGrant {
  /** Any role of the client, because values may name roles in another way than before. */
  any_role: boolean
  roles: string[]
  /** Whatever people are assigned in the portal: it counts from then on, or other claims name the people. */
  assigned_roles: boolean
}

/**
 * What `after` may give beyond `before`. Added rules that say nothing about groups give their roles; any other change may give everything
 * that `after` holds, because other values count from then on or the same roles reach more groups.
 */
export function getGrant(before: ClaimMapping, after: ClaimMapping): MappingGrant {
  if (after.roles_from === 'portal') {
    const isNew = before.roles_from !== 'portal' || before.user_reference !== after.user_reference
    return { any_role: false, roles: [], assigned_roles: isNew }
  }
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const known = new Map(before.rules.map((rule) => [rule.value, rule]))
  const kept = after.rules.filter((rule) => isSame(known.get(rule.value), rule))
  const readsAlike = (
    ['roles_from', 'roles', 'groups', 'user_group', 'accepts_names', 'missing_groups'] as const
  ).every((field) => before[field] === after[field])
  const added = after.rules.filter((rule) => !kept.includes(rule))
  const onlyAdds =
    readsAlike &&
    kept.length === before.rules.length &&
    added.every(({ groups, all_groups }) => groups.length === 0 && !all_groups)
  return {
    any_role: !onlyAdds && after.accepts_names,
    assigned_roles: false,
    roles: [...new Set((onlyAdds ? added : after.rules).flatMap(({ roles }) => roles))],
  }
}
