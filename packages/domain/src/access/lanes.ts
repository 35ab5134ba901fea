import { PAYLOAD_TYPES } from '@custodia/contract'
import type { PayloadType } from '@custodia/contract'
import { NOWHERE, WITHOUT_GROUP } from './group-index.ts'
import type { GroupIndex, Reach } from './group-index.ts'

/**
 * One part of what a list may show; in SQL: `type = any(types) and group_id = any(groups)`.
 * 'all' means no filter, so rows without a group and groups created a moment ago are in it.
 */
export type Lane = {
  types: PayloadType[] | 'all'
  groups: number[] | 'all'
  /** Whether rows without a group belong to the lane; always true when `groups` is 'all'. */
  groupless: boolean
}

/**
 * Gathers the payload types that reach the same groups, so that a filter has as few parts as possible and no row
 * is in two of them.
 */
export function lanesOf(reachOfType: (type: PayloadType) => Reach, groupIndex: GroupIndex): Lane[] {
  const typesByReach = new Map<Reach, PayloadType[]>()
  for (const type of PAYLOAD_TYPES) {
    const reach = reachOfType(type)
    if (reach === NOWHERE) continue
    const types = typesByReach.get(reach)
    if (types) types.push(type)
    else typesByReach.set(reach, [type])
  }
  return Array.from(typesByReach, ([reach, types]) => ({
    types: types.length === PAYLOAD_TYPES.length ? 'all' : types,
    groups: reach === groupIndex.everything ? 'all' : groupIndex.ids(reach),
    groupless: (reach & WITHOUT_GROUP) !== NOWHERE,
  }))
}
