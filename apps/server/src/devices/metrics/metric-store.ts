import type { MetricScope } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { clientColumn } from '../../clients/store.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'
import type { Condition } from '../report-list.ts'

/** Database codes of the scopes. */
export const SCOPE_CODES = {
  Daily: 'd',
  Weekly: 'w',
  Monthly: 'm',
  Yearly: 'y',
  Summary: 'a',
} as const satisfies Record<MetricScope, string>

/** Metrics of a scope for lists. */
export const metricList = (scope: MetricScope): TimeOrdered => ({
  table: 'payload_metrics',
  time: 'period',
  id: 'metric_id',
  id_type: 'bigint',
  only: `r.scope = '${SCOPE_CODES[scope]}'`,
  columns: `${clientColumn('r.client_id')}, ${scope === 'Summary' ? 'null::bigint' : 'r.period'} as period, d.device_reference,
    u.device_user_reference, g.group_reference as "group", t.name as payload_type, r.first_occurrence, r.last_occurrence, r.count, r.updated_at`,
  joins: `join devices d using (client_id, device_id) join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    join payload_types t on t.code = r.type
    left join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id`,
})

/** SQL condition: payload types. */
export const ofTypes =
  (types: readonly string[]): Condition =>
  (bind) =>
    `r.type = any(array(select code from payload_types where name = any(${bind(types, 'text[]')})))`

/** SQL condition: the caller sees the row's type in its group. None when groups alone decide. */
export function withinLanes(lanes: ReturnType<Access['lanes']>): Condition[] {
  if (lanes.length === 1 && lanes[0]?.types === 'all') return []
  return [
    (bind) =>
      `(${lanes
        .map(({ types, groups }) =>
          [
            ...(types === 'all' ? [] : [ofTypes(types)(bind)]),
            ...(groups === 'all' ? [] : [`r.group_id = any(${bind(groups, 'int[]')})`]),
          ].join(' and '),
        )
        .join(' or ')})`,
  ]
}
