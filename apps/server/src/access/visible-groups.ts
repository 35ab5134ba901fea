import type { AccessImpact, Condition, Excess, GroupTag, Role, Sample } from '@custodia/contract'
import { type AccessGroup, type CompiledRole, indexGroups, narrowSample, type Reach } from '@custodia/domain'
import type { PortalUser } from '../http/context.ts'
import { type Changer, previewImpact } from './impact.ts'
import { compileRights, type Rights, withGroups } from './rights.ts'

/**
 * Future groups get the defaults of required tags. A change of such a default therefore changes what roles will
 * reach, so the preview uses placeholder groups.
 */

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

/**
 * What a review may show its reader: groups if the reader lists groups, roles whose reach changes if the reader lists
 * roles, else only the number.
 */
interface SeenGroups {
  /** False when there may be groups that the reader does not see. */
  is_all: boolean
  sees: (group_reference: string) => boolean
  /** Cuts samples of an all-groups result to the groups that the reader sees. */
  narrowToSeen: <T>(value: T) => T
  /**
   * The rights as if only the visible groups existed. Where the reader chooses the patterns (roles), a verdict on all
   * groups would betray hidden group names.
   */
  rights: Rights
  /** Marks a result that was computed with `rights`. */
  markAsPartial: <T>(value: T) => T
}

type Reader = Pick<PortalUser, 'access'>

export function seenGroups({ access }: Reader, rights: Rights): SeenGroups {
  const listsRoles = access.allowsGroupless('roles:list')
  const ids = access.groups('groups:list')
  if (ids === 'all') {
    const result = mapSamples(listsRoles, (sample) => sample)
    return { is_all: true, sees: () => true, narrowToSeen: result, rights, markAsPartial: result }
  }
  const seen = new Set(ids)
  const seenRights = rightsSeenBy(ids, seen, rights)
  const names = new Set(seenRights.groupIndex.groups.map((group) => group.group_reference))
  return {
    is_all: false,
    sees: (group_reference) => names.has(group_reference),
    narrowToSeen: mapSamples(listsRoles, (sample) =>
      narrowSample(sample, ({ group_id }) => seen.has(group_id)),
    ),
    rights: seenRights,
    markAsPartial: mapSamples(listsRoles, (sample) => ({ ...sample, is_partial: true })),
  }
}

/** Cache by the list of group ids; an access returns the same list each time. */
const kept = new WeakMap<readonly number[], { all: Rights; seen: Rights }>()

function rightsSeenBy(ids: readonly number[], seen: ReadonlySet<number>, rights: Rights): Rights {
  const known = kept.get(ids)
  if (known?.all === rights) return known.seen
  const groupIndex = indexGroups(rights.groupIndex.groups.filter(({ group_id }) => seen.has(group_id)))
  const there = new Map<Reach, Reach>()
  const translate = (reach: Reach): Reach => {
    let translated = there.get(reach)
    if (translated === undefined)
      there.set(reach, (translated = rights.groupIndex.translate(reach, groupIndex)))
    return translated
  }
  const side = (reaches: ReadonlyMap<string, Reach>) =>
    new Map(Array.from(reaches, ([action, reach]) => [action, translate(reach)]))
  // A review asks for few of hundreds of roles.
  const roleSeen = (role: CompiledRole): CompiledRole => {
    let allow: CompiledRole['allow'] | undefined
    let deny: CompiledRole['deny'] | undefined
    return {
      ...role,
      groupIndex,
      get allow() {
        return (allow ??= side(role.allow))
      },
      get deny() {
        return (deny ??= side(role.deny))
      },
    }
  }
  const result: Rights = {
    ...rights,
    source: { ...rights.source, groups: groupIndex.groups },
    groupIndex,
    roles: new Map(Array.from(rights.roles, ([reference, role]) => [reference, roleSeen(role)])),
  }
  kept.set(ids, { all: rights, seen: result })
  return result
}

/** Maps each sample of a review; changed roles only for readers who list roles. */
function mapSamples(listsRoles: boolean, notify: (sample: Sample) => Sample): <T>(value: T) => T {
  const toResponse = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(toResponse)
    if (typeof value !== 'object' || value === null) return value
    if (isSample(value)) return notify(value)
    const entries = Object.entries(value).map(([key, each]) => [key, toResponse(each)])
    const copy = Object.fromEntries(entries) as object
    return isImpact(copy) && !listsRoles ? withoutRoles(copy) : copy
  }
  return (value) => toResponse(value) as typeof value
}

const withoutRoles = (impact: AccessImpact): AccessImpact => ({
  ...impact,
  roles: [],
  hidden_roles: impact.roles.length,
})

const isSample = (value: object): value is Sample => 'is_all' in value && 'first' in value
const isImpact = (value: object): value is AccessImpact => 'locks_out' in value && 'escalations' in value
