import {
  type AccessGroup,
  type CompiledRole,
  compileRole,
  FIRST_GROUP,
  type GroupIndex,
  indexGroups,
  LATER_GROUPS,
  NOWHERE,
  type RoleRules,
} from '@custodia/domain'

/** Converts reaches of one group index to those of another one that differs in few groups. */
export interface GroupIndexChange {
  groupIndex: GroupIndex
  /** Places of removed groups, the last first. */
  removed: readonly bigint[]
  /** The groups that are new or have other tags, as their own index, and their places in `groupIndex`. */
  changed: GroupIndex
  places: readonly bigint[]
  /** A reach that holds exactly the changed groups. */
  mask: bigint
  /** Number of former groups without the removed ones. */
  kept: number
}

/**
 * Compares groups with those of a group index. Undefined when the order or too many groups differ: a full compilation
 * is faster then. Equal groups give the same index.
 */
export function groupIndexChange(
  known: GroupIndex,
  groups: readonly AccessGroup[],
): GroupIndexChange | undefined {
  const wanted = new Map(groups.map((group) => [group.group_id, group]))
  const removed = known.groups.flatMap(({ group_id }, i) => (wanted.has(group_id) ? [] : [getPlace(i)]))
  const kept = known.groups.filter(({ group_id }) => wanted.has(group_id))
  if (kept.some((group, i) => groups[i]?.group_id !== group.group_id)) return undefined
  const differing = groups.flatMap((group, i) => (isSame(kept[i], group) ? [] : [{ group, i }]))
  const isUnchanged = removed.length === 0 && differing.length === 0
  if (!isUnchanged && (removed.length + differing.length) * 4 > groups.length + 40) return undefined
  const places = differing.map(({ i }) => getPlace(i))
  return {
    groupIndex: isUnchanged ? known : indexGroups(groups),
    removed: removed.toReversed(),
    changed: indexGroups(differing.map(({ group }) => group)),
    places,
    mask: places.reduce((sum, place) => sum | (1n << place), 0n),
    kept: kept.length,
  }
}

/**
 * Carries a compiled role over: only the changed groups are matched. `is_touched` is false when the role reaches each
 * of them as before, and new ones as it reaches future groups.
 */
export function applyChange(
  old: CompiledRole,
  rules: RoleRules,
  change: GroupIndexChange,
  actions: readonly string[],
): { role: CompiledRole; is_touched: boolean } {
  if (change.places.length === 0 && change.removed.length === 0) return { role: old, is_touched: false }
  const fresh = compileRole(rules, change.changed, actions)
  let is_touched = false
  const carry = (was: ReadonlyMap<string, bigint>, is: ReadonlyMap<string, bigint>) => {
    // Most actions of a role share one reach.
    const known = new Map<bigint, Map<bigint, bigint>>()
    return new Map(
      Array.from(is, ([action, delta]): [string, bigint] => {
        const reach = was.get(action) ?? 0n
        const alike = known.get(reach) ?? new Map<bigint, bigint>()
        let carried = alike.get(delta)
        if (carried === undefined) {
          const left = change.removed.reduce(dropPlace, reach)
          carried = (left & ~change.mask) | spread(delta, change.places)
          is_touched ||= carried !== withLater(left, change)
          known.set(reach, alike.set(delta, carried))
        }
        return [action, carried]
      }),
    )
  }
  const allow = carry(old.allow, fresh.allow)
  const deny = carry(old.deny, fresh.deny)
  return { role: { ...old, groupIndex: change.groupIndex, allow, deny }, is_touched }
}

/** The reach with new groups counted as it counted groups created later. */
function withLater(reach: bigint, { groupIndex, kept }: GroupIndexChange): bigint {
  if ((reach & LATER_GROUPS) === NOWHERE) return reach
  const added = BigInt(groupIndex.groups.length - kept)
  return reach | (((1n << added) - 1n) << getPlace(kept))
}

function spread(delta: bigint, places: readonly bigint[]): bigint {
  return places.reduce(
    (sum, place, i) => (((delta >> getPlace(i)) & 1n) === 1n ? sum | (1n << place) : sum),
    0n,
  )
}

function dropPlace(reach: bigint, place: bigint): bigint {
  const below = (1n << place) - 1n
  return (reach & below) | ((reach >> (place + 1n)) << place)
}

const getPlace = (i: number): bigint => BigInt(FIRST_GROUP + i)

function isSame(a: AccessGroup | undefined, b: AccessGroup): boolean {
  return (
    a !== undefined &&
    a.group_reference === b.group_reference &&
    a.tags.length === b.tags.length &&
    a.tags.every((tag, i) => tag.key === b.tags[i]?.key && tag.value === b.tags[i]?.value)
  )
}
