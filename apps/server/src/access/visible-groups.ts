import type { AccessImpact, Sample } from '@custodia/contract'
import { type CompiledRole, indexGroups, narrowSample, type Reach } from '@custodia/domain'
import type { PortalUser } from '../http/context.ts'
import type { Rights } from './rights.ts'

/**
 * What a review may show its reader: groups if the reader lists groups, roles whose reach changes if the reader lists
 * roles, else only the number.
 */
export interface SeenGroups {
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
