import type { PayloadType } from '@custodia/contract'
import type { Bind } from '../ports/database/binder.ts'
import { codesOf } from '../payload-records/codes.ts'

/** Payloads of these types in these groups. */
export interface ReachLane {
  types: readonly PayloadType[] | 'all'
  groups: readonly number[] | 'all'
}

/**
 * SQL condition for rows with `type` and `group_id` in the given scopes; each type is in one scope at most. False
 * without scopes.
 */
export function lanesSql(lanes: readonly ReachLane[], bind: Bind, table: string): string {
  const each = lanes.map(({ types, groups }) => {
    const ofTypes = types === 'all' ? 'true' : `${table}.type = any(${bind(codesOf(types), 'smallint[]')})`
    const ofGroups = groups === 'all' ? 'true' : `${table}.group_id = any(${bind(groups, 'int[]')})`
    return `(${ofTypes} and ${ofGroups})`
  })
  return each.length === 0 ? 'false' : `(${each.join(' or ')})`
}
