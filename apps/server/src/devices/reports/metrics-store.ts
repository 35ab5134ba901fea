import type { MetricScope, MetricSubject, PayloadMetric } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { clientColumn } from '../../clients/store.ts'
import { END_OF_TIME, type Range, splitRange } from '../../http/time-range.ts'
import { type Bind, binder } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/time-ordered.ts'
import type { Condition } from './list.ts'
import { JOINS } from './store.ts'

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
export interface MetricQuery {
  scope: MetricScope
  subject: MetricSubject
  /** Epoch seconds: periods that start in [from, to). */
  from: number
  to: number
  /** The end of the last of these periods. */
  until: number
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
  counted: MetricQuery,
  after: CountCursor | undefined,
  limit: number,
): Promise<CountedRow[]> {
  if (counted.subject !== 'periods') return readPart(q, counted, after, limit)
  const [to, until] = [counted.to, counted.until].map((at) => Math.min(at, after?.[0] ?? at)) as [
    number,
    number,
  ]
  const left = { ...counted, to, until }
  return isOfAll(counted) && isByDay(counted)
    ? readNewest(q, left, limit)
    : readPart(q, left, undefined, limit)
}

const DAY = 86_400
/** Seconds. */
const [LONGEST_MONTH, LONGEST_YEAR] = [31 * DAY, 366 * DAY]
/** A week that begins on Monday, from Thursday, 1970-01-01. */
const WEEK = { seconds: 7 * DAY, shift: 3 * DAY }

/** The same for days and weeks of group counters, stretch by stretch: a page needs the newest months only. */
async function readNewest(q: Queryable, counted: MetricQuery, limit: number): Promise<CountedRow[]> {
  const months = await q.query<{ first: number | null; last: number | null }>(COUNTED_MONTHS, [q.client_id])
  const { first, last } = months.rows[0] ?? {}
  if (typeof first !== 'number' || typeof last !== 'number') return []
  const { seconds, shift } = counted.scope === 'Weekly' ? WEEK : { seconds: DAY, shift: 0 }
  const rows: CountedRow[] = []
  // Weeks may begin before the first month that has payloads.
  const oldest = Math.max(counted.from, first - 7 * DAY)
  let end = Math.min(counted.until, last + LONGEST_MONTH)
  for (let stretch = limit * seconds + LONGEST_MONTH; rows.length < limit && end > oldest; stretch *= 2) {
    const begin = end - stretch - ((end - stretch + shift) % seconds)
    const from = Math.max(oldest, begin)
    rows.push(...(await readPart(q, { ...counted, from, until: end }, undefined, limit - rows.length)))
    end = from
  }
  return rows
}

const COUNTED_MONTHS = `select min(m.first) as first, max(m.last) as last
  from (select distinct service from payload_types) t cross join lateral (
    select min(start) as first, max(start) as last from payload_counts
    where client_id = $1 and grain = 'm' and service = t.service and type = 0 and group_id = 0) m`

async function readPart(
  q: Queryable,
  counted: MetricQuery,
  after: CountCursor | undefined,
  limit: number,
): Promise<CountedRow[]> {
  const { bind, values } = binder()
  const isOfOwners = counted.subject === 'users' || counted.subject === 'devices'
  const text = (isOfOwners ? ownersSql : fewSql)(q, counted, bind, after, limit)
  return await q.rows<CountedRow>(text, values, 'unprepared')
}

/** SQL of a sum. A row of a device is an int, whose sum avoids numeric; numeric costs more than the rows. */
const getSum = (counted: MetricQuery): string =>
  isOfAll(counted) ? 'sum(r.count)::bigint' : 'sum(r.count::int)'

/** Periods or groups. */
function fewSql(
  q: Queryable,
  counted: MetricQuery,
  bind: Bind,
  after: CountCursor | undefined,
  limit: number,
): string {
  const order = counted.subject === 'periods' ? 'key desc' : 'count desc, key'
  const fewer = after
    ? `having (-sum(n), key) > (${bind(-after[1], 'bigint')}, ${bind(after[0], 'bigint')})`
    : ''
  return `
    select c.key, ${getId(counted)} as id, c.counts, c.count from (
      select key, json_object_agg(name, n) as counts, sum(n)::bigint as count from (
        select ${getKey(counted)} as key, r.type, ${getSum(counted)} as n from ${sourceSql(q, counted, bind)} group by 1, 2
      ) s join payload_types t on t.code = s.type
      group by key ${fewer} order by ${order} limit ${bind(limit, 'int')}) c
    order by ${order}`
}

/** Users or devices. The page is found before its counts by type, which cost more than the sums of all. */
function ownersSql(
  q: Queryable,
  counted: MetricQuery,
  bind: Bind,
  after: CountCursor | undefined,
  limit: number,
): string {
  const [key, sum] = [getKey(counted), getSum(counted)]
  const beyond = after && [bind(-after[1], 'bigint'), bind(after[0], 'bigint')]
  return `
    with page as materialized (
      select ${key} as key, ${sum} as count from ${sourceSql(q, counted, bind)}
      group by 1 ${beyond ? `having (-${sum}, ${key}) > (${beyond.join(', ')})` : ''}
      order by count desc, key limit ${bind(limit, 'int')}
    )
    select c.key, ${getId(counted)} as id, c.counts, c.count from (
      select p.key, p.count, json_object_agg(t.name, s.n) as counts from page p
      cross join lateral (select r.type, ${sum} as n from ${metricsSql(q, counted, bind, key)} group by 1) s
      join payload_types t on t.code = s.type
      group by p.key, p.count) c
    order by count desc, key`
}

export function countCounts(q: Queryable, counted: MetricQuery): Promise<number> {
  const { bind, values } = binder()
  const text = `select count(*)::int as total from (select ${getKey(counted)} from ${sourceSql(q, counted, bind)} group by 1) k`
  return q.count(text, values, 'unprepared')
}

/** Whether the counters of groups can answer: they have the periods of all devices, and the whole time of each group. */
const isOfAll = ({ subject, isOfOne, from, until }: MetricQuery): boolean =>
  !isOfOne && (subject === 'periods' || (subject === 'groups' && from === 0 && until === END_OF_TIME))

/** Whether these counters are those of days. */
const isByDay = ({ scope }: MetricQuery): boolean => scope === 'Daily' || scope === 'Weekly'

/** SQL of the week of a day. */
const WEEK_OF_DAY = `greatest(0, extract(epoch from date_trunc('week', to_timestamp(r.bucket) at time zone 'UTC') at time zone 'UTC')::bigint)`

function getKey(counted: MetricQuery): string {
  const { scope, subject } = counted
  if (subject !== 'periods')
    return { devices: 'r.device_id', users: 'r.device_user_id', groups: 'r.group_id' }[subject]
  if (!isOfAll(counted)) return 'r.period'
  if (scope === 'Summary') return '0::bigint'
  return scope === 'Weekly' ? WEEK_OF_DAY : 'r.bucket'
}

function getId({ scope, subject }: MetricQuery): string {
  if (subject === 'devices') return '(select device_reference from devices where device_id = c.key)'
  if (subject === 'users')
    return '(select device_user_reference from device_users where device_user_id = c.key)'
  if (subject === 'groups') return '(select group_reference from groups where group_id = c.key)'
  return scope === 'Summary' ? `'Summary'` : `to_char(to_timestamp(c.key) at time zone 'UTC', 'YYYY-MM-DD')`
}

/** SQL of the rows `r` that are summed, with their conditions. */
const sourceSql = (q: Queryable, counted: MetricQuery, bind: Bind): string =>
  !isOfAll(counted)
    ? metricsSql(q, counted, bind)
    : counted.subject === 'groups'
      ? groupsSql(q, counted, bind)
      : countersSql(q, counted, bind)

/**
 * Rows of devices, perhaps of one owner in the column `key` only. Where the period is no key, each payload is counted by the
 * longest period that covers it.
 */
function metricsSql(
  q: Queryable,
  { scope, subject, from, to, until, conditions }: MetricQuery,
  bind: Bind,
  key?: string,
): string {
  // The rows of one owner are few: no index of groups is read for them.
  const [ofOwner, alone] = key === undefined ? ['', ''] : [`and ${key} = p.key`, 'offset 0']
  const client = bind(q.client_id, 'int')
  const rows = (code: string, [first, end]: Range) =>
    `select * from payload_metrics r where client_id = ${client} and scope = '${code}' ${ofOwner}
      and period >= ${bind(first, 'bigint')} and period < ${bind(end, 'bigint')}`
  const { years, months, days } = splitRange(from, until)
  const parts =
    subject === 'periods'
      ? [rows(SCOPE_CODES[scope], [from, to])]
      : from === 0 && until === END_OF_TIME
        ? [rows('a', [0, 1])]
        : [
            ...years.map((range) => rows('y', range)),
            ...months.map((range) => rows('m', range)),
            ...days.map((range) => rows('d', range)),
          ]
  const of = parts.length > 0 ? parts.join(' union all ') : rows('a', [0, 0])
  return `(${of} ${alone}) r where ${['true', ...conditions.map((condition) => condition(bind))].join(' and ')}`
}

function groupsSql(q: Queryable, { conditions }: MetricQuery, bind: Bind): string {
  const where = ['r.total > 0', ...conditions.map((condition) => condition(bind))].join(' and ')
  return `(select r.type, r.group_id, r.total as count from payload_types t join payload_counts r
    on r.client_id = ${bind(q.client_id, 'int')} and r.grain = 'y' and r.service = t.service and r.type = t.code and r.group_id <> 0
    where ${where}) r where true`
}

/**
 * Counters of groups: one row has the days of a month, or the months of a year. The rows of all groups are summed
 * before they are split into their parts, because a row has 31.
 */
function countersSql(q: Queryable, counted: MetricQuery, bind: Bind): string {
  const { scope, from, to, until, isConfined, conditions } = counted
  const grain = isByDay(counted) ? 'm' : 'y'
  const [begin, end] = [bind(from, 'bigint'), bind(grain === 'm' ? until : to, 'bigint')]
  const isWhole = scope === 'Summary' || scope === 'Yearly'
  const sums = isWhole
    ? 'sum(r.total) as count'
    : `array[${Array.from({ length: PARTS[grain] }, (_, i) => `sum(r.parts[${i + 1}])`).join(', ')}] as parts`
  const longest = isWhole ? 0 : grain === 'm' ? LONGEST_MONTH : LONGEST_YEAR
  const where = [
    `r.start > ${begin} - ${longest + 1} and r.start < ${end}`,
    `r.group_id ${isConfined ? '<> 0' : '= 0'}`,
    ...conditions.map((condition) => condition(bind)),
  ].join(' and ')
  const summed = `select r.type, r.start, ${sums} from payload_types t join payload_counts r
    on r.client_id = ${bind(q.client_id, 'int')} and r.grain = '${grain}' and r.service = t.service and r.type = t.code
    where ${where} group by r.type, r.start`
  const bucket =
    grain === 'm'
      ? `s.start + (n.nth - 1) * ${DAY}`
      : `extract(epoch from (to_timestamp(s.start) at time zone 'UTC' + (n.nth - 1) * interval '1 month') at time zone 'UTC')::bigint`
  const split = isWhole
    ? `select s.type, s.start as bucket, s.count from (${summed}) s`
    : `select s.type, ${bucket} as bucket, n.count from (${summed}) s cross join lateral unnest(s.parts) with ordinality n (count, nth)`
  return `(${split}) r where r.bucket >= ${begin} and r.bucket < ${end} and r.count > 0`
}

/** The days of a month, the months of a year. */
const PARTS = { m: 31, y: 12 } as const
