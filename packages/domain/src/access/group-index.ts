import type { Group, Sample } from '@custodia/contract'

/**
 * The groups of one client, each with a place in a bit set. A `Reach` is a bit set in a bigint: bit 0 is "no group",
 * bit 1 future groups, the others are the known groups.
 */
export type Reach = bigint

export type AccessGroup = Group & {
  group_id: number
  /**
   * The group of devices that wait for confirmation: no condition matches it, and no person can be assigned to it.
   */
  is_reserved?: boolean | undefined
}

export const NOWHERE: Reach = 0n
export const WITHOUT_GROUP: Reach = 1n
export const LATER_GROUPS: Reach = 2n
/** Bit of the first known group. */
export const FIRST_GROUP = 2

/** Group names that a sample spells out. */
const SAMPLE_NAMES = 20

export type GroupIndex = {
  groups: readonly AccessGroup[]
  everything: Reach
  /** The reserved groups: no condition matches them. */
  reserved: Reach
  /** The known groups for which the test holds; neither "no group" nor later ones. */
  where: (test: (group: AccessGroup) => boolean) => Reach
  /** Whether the reach holds this group; an id that is not known counts as created later. */
  holds: (reach: Reach, group_id: number | null) => boolean
  /** Ids of the known groups in the reach, in the order in which the groups were given. */
  ids: (reach: Reach) => number[]
  /** Number and first names of the known groups in the reach, reserved ones apart; all, when later ones are in it as well. */
  sample: (reach: Reach) => Sample
  /** Converts a reach of this index to another one: groups by id, unknown ones as future groups. */
  translate: (reach: Reach, to: GroupIndex) => Reach
}

/** The groups of which samples were taken. */
const sampled = new WeakMap<Sample, readonly AccessGroup[]>()

function getSample(groups: readonly AccessGroup[], is_all: boolean): Sample {
  const first = groups.slice(0, SAMPLE_NAMES).map((group) => group.group_reference)
  const sample = { is_all, count: groups.length, first }
  sampled.set(sample, groups)
  return sample
}

/**
 * Narrows a sample to the groups that the reader sees; other groups are neither named nor counted. A sample from
 * another thread contains no groups.
 */
export function narrowSample(sample: Sample, sees: (group: AccessGroup) => boolean): Sample {
  const seen = (sampled.get(sample) ?? []).filter(sees)
  return Object.assign(getSample(seen, sample.is_all), { is_partial: true })
}

/** Numbers the groups of a client. Roles must be evaluated with the index that they were compiled with. */
export function indexGroups(groups: readonly AccessGroup[]): GroupIndex {
  const places = new Map(groups.map((group, i) => [group.group_id, i + FIRST_GROUP]))
  const everything = (1n << BigInt(groups.length + FIRST_GROUP)) - 1n
  const where = (test: (group: AccessGroup) => boolean): Reach =>
    BigInt(
      `0b0${groups
        .map((group) => (test(group) ? '1' : '0'))
        .toReversed()
        .join('')}00`,
    )
  const known = (reach: Reach): AccessGroup[] => {
    const digits = reach.toString(2)
    return groups.filter((_, i) => digits.at(-1 - i - FIRST_GROUP) === '1')
  }
  const extensions = new WeakMap<GroupIndex, Reach | undefined>()
  // Groups that `to` adds at its end; undefined if any other place differs.
  const addedBehind = (to: GroupIndex): Reach | undefined => {
    if (!extensions.has(to)) {
      const isExtension = groups.every((group, i) => group.group_id === to.groups[i]?.group_id)
      extensions.set(to, isExtension ? to.everything ^ everything : undefined)
    }
    return extensions.get(to)
  }
  return {
    groups,
    everything,
    reserved: where(({ is_reserved = false }) => is_reserved),
    where,
    holds: (reach, group_id) => {
      if (group_id === null) return (reach & WITHOUT_GROUP) !== NOWHERE
      const place = places.get(group_id)
      return (place === undefined ? reach & LATER_GROUPS : (reach >> BigInt(place)) & 1n) !== NOWHERE
    },
    ids: (reach) => known(reach).map((group) => group.group_id),
    sample: (reach) =>
      getSample(
        known(reach).filter(({ is_reserved }) => !is_reserved),
        (reach | WITHOUT_GROUP) === everything,
      ),
    translate: (reach, to) => {
      const added = addedBehind(to)
      if (added !== undefined) return (reach & LATER_GROUPS) === NOWHERE ? reach : reach | added
      const digits = reach.toString(2)
      const later = (reach & LATER_GROUPS) !== NOWHERE
      const groupsThere = to.where(({ group_id }) => {
        const place = places.get(group_id)
        return place === undefined ? later : digits.at(-1 - place) === '1'
      })
      return groupsThere | (reach & (WITHOUT_GROUP | LATER_GROUPS))
    },
  }
}
