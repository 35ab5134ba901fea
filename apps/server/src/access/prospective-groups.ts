/**
 * Groups that are still to be made get the defaults of required tags by themselves. A change of such a default therefore moves
 * what roles will reach, before any such group is there: it is judged by groups that only stand for them.
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
 * What it means that groups made from now on get the tags `after` where they got `before`. Whatever name a group may have
 * counts, if a role asks for names. Groups of an answer are none: they are still to be made.
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

/** For each wildcard that asks for a name, one that fits it; and one that fits none in particular. */
function namesIn(roles: readonly Role[]): string[] {
  const wildcards = roles
    .flatMap(conditionsIn)
    .flatMap((each) => (each.is_regex ? [] : (each.names_matching ?? [])))
  return [...new Set([ANY_NAME, ...wildcards.map((each) => each.replaceAll('*', '').replaceAll('?', 'x'))])]
}

/** Nobody lists what fits an expression: where tags are asked for as well, every name counts as fitting. */
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
