import { type ProviderTelemetryRow, type TelemetryPoint, type Total, TOTAL_CAP } from '@custodia/contract'
import { binder } from '../../ports/database/binder.ts'
import type { GlobalQueryable, Queryable } from '../../ports/database/lease.ts'
import { conditionsOf, type FactsFilter } from './concerns.ts'

/** Clients; undefined: all. */
export interface ProviderFilter extends FactsFilter {
  clients?: readonly string[] | undefined
}

/** A row with its sort key. */
type ProviderRow = ProviderTelemetryRow & { at: number; row_id: number }
export type ProviderKey = readonly [at: number, row_id: number]

/** Newest reports after a cursor, newest first, limited to the columns that provider staff may read. */
export async function findProviderRows(
  q: GlobalQueryable,
  filter: ProviderFilter,
  from: ProviderKey | undefined,
  limit: number,
): Promise<ProviderRow[]> {
  const { bind, values } = binder()
  const behind = from ? `and (r.at, r.row_id) < (${bind(from[0], 'bigint')}, ${bind(from[1], 'bigint')})` : ''
  const { rows } = await q.query<ProviderRow>(
    `select c.client, r.telemetry_time, r.received_at, r.made_reference as device_reference, r.facts, r.at, r.row_id
     from telemetry_latest r join clients c using (client_id) where ${whereOf(filter, bind)} ${behind}
     order by r.at desc, r.row_id desc limit ${bind(limit, 'int')}`,
    values,
  )
  return rows
}

/** Counts the devices up to a limit. */
export async function countProviderRows(q: GlobalQueryable, filter: ProviderFilter): Promise<Total> {
  const { bind, values } = binder()
  const { rows } = await q.query<{ total: number }>(
    `select count(*)::int as total from (
       select from telemetry_latest r join clients c using (client_id) where ${whereOf(filter, bind)} limit ${TOTAL_CAP + 1}) x`,
    values,
  )
  const total = rows[0]?.total ?? 0
  return total > TOTAL_CAP ? { total: TOTAL_CAP, is_capped: true } : { total }
}

const whereOf = ({ clients, ...facts }: ProviderFilter, bind: ReturnType<typeof binder>['bind']): string =>
  [
    ...(clients ? [(say: typeof bind) => `c.client = any(${say(clients, 'text[]')})`] : []),
    ...conditionsOf(facts),
  ]
    .map((condition) => condition(bind))
    .join(' and ') || 'true'

/** Maximum number of reports in a series, newest first. A device reports about every 15 minutes. */
const MOST_REPORTS = 20_000

interface SeriesRange {
  device_id: number
  /** Undefined: all groups. */
  groups: readonly number[] | undefined
  /** Epoch seconds, inclusive and exclusive. */
  from: number
  to: number
  /** Seconds. */
  step: number
}

/** Steps with reports, oldest first. */
export async function findSeries(
  q: Queryable,
  { device_id, groups, from, to, step }: SeriesRange,
): Promise<TelemetryPoint[]> {
  const { rows } = await q.query<TelemetryPoint>(
    SERIES,
    [q.client_id, device_id, groups ?? null, from, to, step],
    'telemetry_series',
  )
  return rows
}

const SERIES = `
  select $4 + (telemetry_time - $4) / $6 * $6 as at, count(*)::int as reports,
    min((facts->>'battery_percentage')::int) as battery_percentage, min((facts->>'storage_available')::bigint) as storage_available,
    min((facts->>'memory_available')::bigint) as memory_available, max((facts->>'queue_payloads')::bigint) as queue_payloads
  from (
    select telemetry_time, facts from telemetry
    where client_id = $1 and device_id = $2 and ($3::int[] is null or group_id = any($3))
      and telemetry_time >= $4::bigint and telemetry_time < $5::bigint
    order by telemetry_time desc, row_id desc limit ${MOST_REPORTS}
  ) r group by (telemetry_time - $4) / $6::bigint order by 1`
