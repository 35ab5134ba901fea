import type { MetricScope, MetricSubject, PayloadMetric } from '@custodia/contract'
import { type Bind, binder } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import type { Condition } from './list.ts'
import { JOINS } from './store.ts'
import type { Access } from '@custodia/domain'
import { clientColumn } from '../../clients/store.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'

/** Database codes of the scopes. */
const SCOPE_CODES = {
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
  joins: `${JOINS} join payload_types t on t.code = r.type`,
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

/** Parameters of a count. */
export interface Counted {
  scope: MetricScope
  subject: MetricSubject
  /** Epoch seconds: periods that start in [from, to). */
  from: number
  to: number
  /** Whether one device or user is counted; group counters do not cover those. */
  isOfOne: boolean
  /** Whether the count covers some groups only. */
  isConfined: boolean
  /** Conditions on a row `r`, joined by AND. */
  conditions: readonly Condition[]
}

/** A count with its list position. */
export interface CountedRow extends PayloadMetric {
  key: number
}

/** Where a page of counts ends: the key and count of its last row. */
export type CountCursor = readonly [key: number, count: number]

/** Reads at most `limit` counts after a cursor: periods newest first, others by count, the highest first. */
export async function readCounts(
  q: Queryable,
  counted: Counted,
  after: CountCursor | undefined,
  limit: number,
): Promise<CountedRow[]> {
  const { bind, values } = binder()
  const isPeriods = counted.subject === 'periods'
  const order = isPeriods ? 'key desc' : 'count desc, key'
  const earlier = after && isPeriods ? `and ${keyOf(counted)} < ${bind(after[0], 'bigint')}` : ''
  const fewer =
    after && !isPeriods
      ? `having (-sum(n), key) > (${bind(-after[1], 'bigint')}, ${bind(after[0], 'bigint')})`
      : ''
  const text = `
    select c.key, ${idOf(counted)} as id, c.counts, c.count from (
      select key, json_object_agg(name, n) as counts, sum(n)::bigint as count from (
        select ${keyOf(counted)} as key, r.type, sum(r.count)::bigint as n from ${sourceSql(q, counted, bind)} ${earlier} group by 1, 2
      ) s join payload_types t on t.code = s.type
      group by key ${fewer} order by ${order} limit ${bind(limit, 'int')}) c
    order by ${order}`
  return (await q.query<CountedRow>(text, values)).rows
}

export async function countCounts(q: Queryable, counted: Counted): Promise<number> {
  const { bind, values } = binder()
  const text = `select count(distinct ${keyOf(counted)})::int as total from ${sourceSql(q, counted, bind)}`
  return (await q.query<{ total: number }>(text, values)).rows[0]?.total ?? 0
}

/** Whether the counters of groups can answer. */
const isOfAll = ({ subject, isOfOne }: Counted): boolean => subject === 'periods' && !isOfOne

function keyOf(counted: Counted): string {
  const { scope, subject } = counted
  if (subject !== 'periods')
    return { devices: 'r.device_id', users: 'r.device_user_id', groups: 'r.group_id' }[subject]
  if (!isOfAll(counted)) return 'r.period'
  if (scope === 'Summary') return '0::bigint'
  // Weeks sum days and years sum months; days and months are stored.
  const unit = { Daily: undefined, Weekly: 'week', Monthly: undefined, Yearly: 'year' }[scope]
  return unit === undefined
    ? 'r.bucket'
    : `greatest(0, extract(epoch from date_trunc('${unit}', to_timestamp(r.bucket) at time zone 'UTC') at time zone 'UTC')::bigint)`
}

function idOf({ scope, subject }: Counted): string {
  if (subject === 'devices') return '(select device_reference from devices where device_id = c.key)'
  if (subject === 'users')
    return '(select device_user_reference from device_users where device_user_id = c.key)'
  if (subject === 'groups') return '(select group_reference from groups where group_id = c.key)'
  return scope === 'Summary' ? `'Summary'` : `to_char(to_timestamp(c.key) at time zone 'UTC', 'YYYY-MM-DD')`
}

/** Seconds. */
const LONGEST_MONTH = 31 * 86_400

function sourceSql(q: Queryable, counted: Counted, bind: Bind): string {
  const { scope, from, to, isConfined, conditions } = counted
  const client = `r.client_id = ${bind(q.client_id, 'int')}`
  const [begin, end] = [bind(from, 'bigint'), bind(to, 'bigint')]
  const isDays = scope === 'Daily' || scope === 'Weekly'
  const source = isOfAll(counted)
    ? `(select c.client_id, c.service, c.type, c.group_id, ${isDays ? 'c.start + (n.day - 1) * 86400 as bucket, n.count' : 'c.start as bucket, c.total as count'}
        from payload_counts c ${isDays ? 'cross join lateral unnest(c.parts) with ordinality n (count, day)' : ''}
        where c.grain = 'm' and c.start > ${begin} - ${LONGEST_MONTH} and c.start < ${end}) r
        where ${client} and r.bucket >= ${begin} and r.bucket < ${end}
        and r.service = any(array(select distinct service from payload_types)) and r.type <> 0
        and r.group_id ${isConfined ? '<> 0' : '= 0'} and r.count > 0`
    : `payload_metrics r where ${client} and r.scope = '${SCOPE_CODES[scope]}' and r.period >= ${begin} and r.period < ${end}`
  return [source, ...conditions.map((condition) => condition(bind))].join(' and ')
}
