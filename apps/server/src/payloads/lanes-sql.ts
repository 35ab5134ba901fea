import type { PayloadType } from '@custodia/contract'
import type { Bind } from '../ports/database/binder.ts'
import { codesOf } from '../payload-records/codes.ts'

/** Payloads of these types in these groups. */
export interface ReachLane {
  types: readonly PayloadType[] | 'all'
  groups: readonly number[] | 'all'
}

/** The groups of all lanes together; null: every group. */
export function groupsOfLanes(lanes: readonly ReachLane[]): number[] | null {
  const groups = new Set<number>()
  for (const lane of lanes) {
    if (lane.groups === 'all') return null
    for (const group of lane.groups) groups.add(group)
  }
  return [...groups]
}

/** SQL: what of a table that has `type` and `group_id` somebody may see: each type stands in one lane at most. Nothing, where there is none. */
export function lanesSql(lanes: readonly ReachLane[], bind: Bind, table: string): string {
  const each = lanes.map(({ types, groups }) => {
    const ofTypes = types === 'all' ? 'true' : `${table}.type = any(${bind(codesOf(types), 'smallint[]')})`
    const ofGroups = groups === 'all' ? 'true' : `${table}.group_id = any(${bind(groups, 'int[]')})`
    return `(${ofTypes} and ${ofGroups})`
  })
  return each.length === 0 ? 'false' : `(${each.join(' or ')})`
}
