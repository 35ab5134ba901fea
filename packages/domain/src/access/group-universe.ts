import type { Group } from '@custodia/contract'

/**
 * The groups of one client, each with a place in a bit set. A `Reach` is a bit set held in a bigint: bit 0 stands
 * for "no group", bit 1 for groups created after the roles were compiled, the others for the known groups.
 */
export type Reach = bigint

export type AccessGroup = Group & { group_id: number }

export const NOWHERE: Reach = 0n
export const WITHOUT_GROUP: Reach = 1n
export const LATER_GROUPS: Reach = 2n
const FIRST_GROUP = 2

export type GroupUniverse = {
  groups: readonly AccessGroup[]
  everything: Reach
  /** The known groups for which the test holds; neither "no group" nor later ones. */
  where: (test: (group: AccessGroup) => boolean) => Reach
  /** Whether the reach holds this group; an id that is not known counts as created later. */
  holds: (reach: Reach, group_id: number | null) => boolean
  /** Ids of the known groups in the reach, in the order in which the groups were given. */
  ids: (reach: Reach) => number[]
}

/** Numbers the groups of a client. Everything compiled against one universe must be evaluated with the same one. */
export function groupUniverse(groups: readonly AccessGroup[]): GroupUniverse {
  const bits = new Map(groups.map((group, i) => [group.group_id, 1n << BigInt(i + FIRST_GROUP)]))
  return {
    groups,
    everything: (1n << BigInt(groups.length + FIRST_GROUP)) - 1n,
    where: (test) =>
      BigInt(
        `0b0${groups
          .map((group) => (test(group) ? '1' : '0'))
          .toReversed()
          .join('')}00`,
      ),
    holds: (reach, group_id) => {
      const bit = group_id === null ? WITHOUT_GROUP : (bits.get(group_id) ?? LATER_GROUPS)
      return (reach & bit) !== NOWHERE
    },
    ids: (reach) => {
      const digits = reach.toString(2)
      return groups.filter((_, i) => digits.at(-1 - i - FIRST_GROUP) === '1').map((group) => group.group_id)
    },
  }
}
