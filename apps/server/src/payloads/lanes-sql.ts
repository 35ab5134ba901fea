import type { PayloadType } from '@custodia/contract'
import { getCodes } from '../payload-records/codes.ts'
import { type Bind, isAmong } from '../ports/database/binder.ts'

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

/** SQL condition for rows with `type` and `group_id` in the given lanes; each type is in one at most. False without lanes. */
export function lanesSql(lanes: readonly ReachLane[], bind: Bind, table: string): string {
  const each = lanes.map(({ types, groups }) => {
    const ofTypes = types === 'all' ? 'true' : `${table}.type = any(${bind(getCodes(types), 'smallint[]')})`
    const ofGroups = groups === 'all' ? 'true' : isAmong(`${table}.group_id`, bind(groups, 'int[]'))
    return `(${ofTypes} and ${ofGroups})`
  })
  return each.length === 0 ? 'false' : `(${each.join(' or ')})`
}
