/**
 * Future groups get the defaults of required tags. A change of such a default therefore changes what roles will
 * reach, so the preview uses placeholder groups.
 */
import type { AccessImpact, Condition, Excess, GroupTag, Role, Sample } from '@custodia/contract'
import type { AccessGroup } from '@custodia/domain'
import { type Changer, previewImpact } from './impact.ts'
import { compileRights, type Rights, withGroups } from './rights.ts'

/** Names that are tried one by one; with more of them, every name counts as one that fits. */
const NAMES = 500
/** A name that only patterns fit which most names fit. */
const ANY_NAME = 'Group to come'
const OF_NO_GROUP: Sample = { is_all: false, count: 0, first: [] }

/**
 * Previews that future groups get the tags `after` instead of `before`. Any group name counts if a role asks for
 * names. The answer names no groups, because they do not exist yet.
 */
export function previewProspectiveImpact(
  rights: Rights,
  changer: Changer,
  { before, after }: { before: readonly GroupTag[]; after: readonly GroupTag[] },
): AccessImpact {
  const names = namesIn(rights.source.roles)
  const isListed = names.length <= NAMES
  const groupsWith = (tags: readonly GroupTag[]): AccessGroup[] =>
    (isListed ? names : [ANY_NAME]).map((group_reference, group_id) => ({
      group_id,
      group_reference,
      tags: [...tags],
    }))
  const roles = rights.source.roles.map((role) => freeOfNames(role, isListed))
  const was = compileRights({ ...rights.source, roles, groups: groupsWith(before) })
  const is = withGroups(was, groupsWith(after))
  // What the changer holds is held under the names for which it is granted.
  const isSame = roles.every((role, i) => role === rights.source.roles[i])
  const held = isSame ? was : compileRights({ ...rights.source, groups: was.groupIndex.groups })
  const impact = previewImpact(was, is, changer, { undo: [], held })
  return {
    ...impact,
    escalations: impact.escalations.map((excess): Excess => ({ ...excess, groups: OF_NO_GROUP })),
    roles: impact.roles.map((role) => ({ ...role, groups_gained: OF_NO_GROUP, groups_lost: OF_NO_GROUP })),
  }
}

const conditionsIn = (role: Role): Condition[] => role.permissions.flatMap((each) => each.conditions ?? [])

/** One matching name for each name pattern, and one that matches none. */
function namesIn(roles: readonly Role[]): string[] {
  const wildcards = roles
    .flatMap(conditionsIn)
    .flatMap((each) => (each.is_regex ? [] : (each.names_matching ?? [])))
  return [...new Set([ANY_NAME, ...wildcards.map((each) => each.replaceAll('*', '').replaceAll('?', 'x'))])]
}

/** Where a role also asks for tags, every group name counts as a match: no list can enumerate an expression. */
function freeOfNames(role: Role, onlyRegex: boolean): Role {
  const isNamed = ({ names_matching, keys_matching, values_matching, is_regex }: Condition) =>
    names_matching !== undefined &&
    (keys_matching !== undefined || values_matching !== undefined) &&
    (is_regex === true || !onlyRegex)
  if (!conditionsIn(role).some(isNamed)) return role
  const free = (condition: Condition): Condition => ({ ...condition, names_matching: undefined })
  return {
    ...role,
    permissions: role.permissions.map((each) => ({
      ...each,
      ...(each.conditions && { conditions: each.conditions.map((one) => (isNamed(one) ? free(one) : one)) }),
    })),
  }
}
