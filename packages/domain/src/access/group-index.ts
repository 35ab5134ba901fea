import type { Group, Sample } from '@custodia/contract'

/**
 * The groups of one client, each with a place in a bit set. A `Reach` is a bit set held in a bigint: bit 0 stands
 * for "no group", bit 1 for groups created after the roles were compiled, the others for the known groups.
 */
export type Reach = bigint

export type AccessGroup = Group & {
  group_id: number
  /** Holds what waits for somebody's confirmation: no condition matches it, and nobody is put into it. */
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
  /** A reach of this universe as one of another: groups by id, unknown ones as later ones. */
  translate: (reach: Reach, to: GroupIndex) => Reach
}

/** The groups of which samples were taken. */
const sampled = new WeakMap<Sample, readonly AccessGroup[]>()

function sampleOf(groups: readonly AccessGroup[], is_all: boolean): Sample {
  const first = groups.slice(0, SAMPLE_NAMES).map((group) => group.group_reference)
  const sample = { is_all, count: groups.length, first }
  sampled.set(sample, groups)
  return sample
}

/**
 * A sample for a reader who sees some groups only: the others are neither named nor counted. A sample that was not taken here
 * (it came from another thread) says nothing of groups.
 */
export function narrowSample(sample: Sample, sees: (group: AccessGroup) => boolean): Sample {
  const seen = (sampled.get(sample) ?? []).filter(sees)
  return Object.assign(sampleOf(seen, sample.is_all), { is_partial: true })
}

/** Numbers the groups of a client. Everything compiled against one universe must be evaluated with the same one. */
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
  /** The new groups of a universe that begins with the groups of this one: all other places stay as they are. */
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
      sampleOf(
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
