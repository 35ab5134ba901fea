import {
  DEVICE_SERVICES,
  type DeviceFacts,
  LOW_BATTERY,
  LOW_STORAGE,
  type ProviderTelemetryRow,
  type TelemetryConcern,
  type TelemetryPoint,
  type Total,
  TOTAL_CAP,
} from '@custodia/contract'
import { binder } from '../../ports/database/binder.ts'
import type { GlobalQueryable, Queryable } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'
import type { Condition } from './list.ts'
import { JOINS, TELEMETRY } from './store.ts'

/** Newest report of each device. */
export const LATEST_TELEMETRY: TimeOrdered = { ...TELEMETRY.list, table: 'telemetry_latest', time: 'at' }

/** SQL conditions on the facts of a row `r`: an unreported fact is no concern. */
const CONCERNS: Readonly<Record<TelemetryConcern, string>> = {
  low_battery: `(r.facts->>'battery_percentage')::int < ${LOW_BATTERY}`,
  low_storage: `(r.facts->>'storage_available')::bigint < ${LOW_STORAGE}`,
  waiting_payloads: `(r.facts->>'queue_payloads')::bigint > 0`,
  not_whitelisted: `r.facts->'is_whitelisted' = 'false'`,
  no_device_admin: `r.facts->'is_device_admin' = 'false'`,
  roaming: `r.facts->'sims' @> '[{"is_roaming": true}]'`,
  ...(Object.fromEntries(
    DEVICE_SERVICES.map((service) => [`no_${service}`, `r.facts->'services'->'${service}' = 'false'`]),
  ) as Record<`no_${(typeof DEVICE_SERVICES)[number]}`, string>),
}

/** Fact filters of the telemetry lists. */
interface FactsFilter {
  os_version?: string | undefined
  app_version?: string | undefined
  model?: string | undefined
  concerns?: readonly TelemetryConcern[] | undefined
}

/** SQL conditions of the filters on a row `r`. */
export const conditionsOf = ({ concerns, ...named }: FactsFilter): Condition[] => [
  ...(['os_version', 'app_version', 'model'] as const).flatMap((name): Condition[] => {
    const value = named[name]
    return value === undefined ? [] : [(bind) => `r.facts->>'${name}' = ${bind(value, 'text')}`]
  }),
  ...(concerns
    ? [() => `coalesce(${concerns.map((each) => `(${CONCERNS[each]})`).join(' or ')}, false)`]
    : []),
]

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

/** A stored, sealed report. */
export interface StoredTelemetry {
  client: string
  telemetry_id: string
  telemetry_time: number
  received_at: number
  facts: DeviceFacts
  device_reference: string
  device_user_reference: string | null
  group: string
  group_id: number
  wrapped_key: Buffer
  iv: Buffer
  sealed_meta: Buffer
  applications_in: { telemetry_id: string; telemetry_time: number } | null
}

/** Finds a report of the tenant by id; of several with one id the newest. */
export async function findTelemetry(
  q: Queryable,
  device_reference: string,
  telemetry_id: string,
): Promise<StoredTelemetry | undefined> {
  const { rows } = await q.query<StoredTelemetry>(
    FIND,
    [q.client_id, device_reference, telemetry_id],
    'telemetry_find',
  )
  return rows[0]
}

const FIND = `
  select ${TELEMETRY.list.columns}, r.group_id, k.wrapped_key, r.iv, r.sealed_meta, (
      select json_build_object('telemetry_id', a.telemetry_id, 'telemetry_time', a.telemetry_time) from telemetry a
      where a.client_id = $1 and a.device_id = r.device_id and a.has_applications
        and (a.telemetry_time, a.row_id) <= (r.telemetry_time, r.row_id) and a.telemetry_time <= r.telemetry_time
      order by a.telemetry_time desc, a.row_id desc limit 1) as applications_in
  from telemetry r ${JOINS} join report_keys k on k.client_id = r.client_id and k.report_key_id = r.report_key_id
  where r.client_id = $1 and d.device_reference = $2 and r.telemetry_id = $3 order by r.telemetry_time desc limit 1`
