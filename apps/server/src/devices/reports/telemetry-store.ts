import { hash } from 'node:crypto'
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
import type { GlobalQueryable, Queryable, Tx } from '../../ports/database/lease.ts'
import type { Condition } from './list.ts'
import { CHANGING_FACTS, indexed, JOINS, TELEMETRY } from './store.ts'

/** SQL of a fact of a row `r`, as JSON. */
type FactSql = (name: keyof DeviceFacts) => string

/** Of the newest reports, which hold all facts. */
const ofLatest: FactSql = (name) => `(r.facts->'${name}')`
/** Of all reports: a column, or the shared facts. */
const ofEvery: FactSql = (name) =>
  name in CHANGING_FACTS
    ? `to_jsonb(r.${name})`
    : `(select f.facts->'${name}' from telemetry_facts f where f.client_id = r.client_id and f.facts_id = r.facts_id)`

/** SQL conditions: an unreported fact is no concern. */
const getConcerns = (fact: FactSql): Readonly<Record<TelemetryConcern, string>> => ({
  low_battery: `${fact('battery_percentage')}::int < ${LOW_BATTERY}`,
  low_storage: `${fact('storage_available')}::bigint < ${LOW_STORAGE}`,
  waiting_payloads: `${fact('queue_payloads')}::bigint > 0`,
  not_whitelisted: `${fact('is_whitelisted')} = 'false'`,
  no_device_admin: `${fact('is_device_admin')} = 'false'`,
  roaming: `${fact('sims')} @> '[{"is_roaming": true}]'`,
  ...(Object.fromEntries(
    DEVICE_SERVICES.map((service) => [`no_${service}`, `${fact('services')}->'${service}' = 'false'`]),
  ) as Record<`no_${(typeof DEVICE_SERVICES)[number]}`, string>),
})

/** Fact filters of the telemetry lists. */
interface FactsFilter {
  os_version?: string | undefined
  app_version?: string | undefined
  model?: string | undefined
  concerns?: readonly TelemetryConcern[] | undefined
}

/** SQL conditions of the filters on a row `r`: of all reports, or of the newest of each device. */
export function getConditions({ concerns, ...named }: FactsFilter, isLatest: boolean): Condition[] {
  const fact = isLatest ? ofLatest : ofEvery
  return [
    ...(['os_version', 'app_version', 'model'] as const).flatMap((name): Condition[] => {
      const value = named[name]
      return value === undefined ? [] : [(bind) => `${fact(name)} = to_jsonb(${bind(value, 'text')})`]
    }),
    ...(concerns
      ? [() => `coalesce(${concerns.map((each) => `(${getConcerns(fact)[each]})`).join(' or ')}, false)`]
      : []),
  ]
}

/** Clients; undefined: all. */
export interface ProviderFilter extends FactsFilter {
  clients?: readonly string[] | undefined
}

/** A row with its sort key. */
type ProviderRow = ProviderTelemetryRow & { at: number; row_id: number }
export type ProviderKey = readonly [at: number, row_id: number]

/** Newest reports after a cursor, newest first, limited to the columns that provider staff may read. */
export function findProviderRows(
  q: GlobalQueryable,
  filter: ProviderFilter,
  from: ProviderKey | undefined,
  limit: number,
): Promise<ProviderRow[]> {
  const { bind, values } = binder()
  const behind = from ? `and (r.at, r.row_id) < (${bind(from[0], 'bigint')}, ${bind(from[1], 'bigint')})` : ''
  return q.rows<ProviderRow>(
    `select c.client, r.telemetry_time, r.received_at, r.made_reference as device_reference, r.facts, r.at, r.row_id
     from telemetry_latest r join clients c using (client_id) where ${getCondition(filter, bind)} ${behind}
     order by r.at desc, r.row_id desc limit ${bind(limit, 'int')}`,
    values,
  )
}

/** Counts the devices up to a limit. */
export async function countProviderRows(q: GlobalQueryable, filter: ProviderFilter): Promise<Total> {
  const { bind, values } = binder()
  const total = await q.count(
    `select count(*)::int as total from (
       select from telemetry_latest r join clients c using (client_id) where ${getCondition(filter, bind)} limit ${TOTAL_CAP + 1}) x`,
    values,
  )
  return total > TOTAL_CAP ? { total: TOTAL_CAP, is_capped: true } : { total }
}

const getCondition = (
  { clients, ...facts }: ProviderFilter,
  bind: ReturnType<typeof binder>['bind'],
): string =>
  [
    ...(clients ? [(say: typeof bind) => `c.client = any(${say(clients, 'text[]')})`] : []),
    ...getConditions(facts, true),
  ]
    .map((condition) => condition(bind))
    .join(' and ') || 'true'

/** Maximum number of reports in a series, newest first. A device reports about every 15 minutes. */
const MAX_REPORTS = 20_000

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
export function findSeries(
  q: Queryable,
  { device_id, groups, from, to, step }: SeriesRange,
): Promise<TelemetryPoint[]> {
  return q.rows<TelemetryPoint>(SERIES, [q.client_id, device_id, groups ?? null, from, to, step])
}

const SERIES = `
  select $4 + (telemetry_time - $4) / $6 * $6 as at, count(*)::int as reports,
    min(battery_percentage) as battery_percentage, min(storage_available) as storage_available,
    min(memory_available) as memory_available, max(queue_payloads) as queue_payloads
  from (
    select telemetry_time, battery_percentage, storage_available, memory_available, queue_payloads from telemetry
    where client_id = $1 and device_id = $2 and ($3::int[] is null or group_id = any($3))
      and telemetry_time >= $4::bigint and telemetry_time < $5::bigint
    order by telemetry_time desc, row_id desc limit ${MAX_REPORTS}
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
export function findTelemetry(
  q: Queryable,
  device_reference: string,
  telemetry_id: string,
): Promise<StoredTelemetry | undefined> {
  return q.row<StoredTelemetry>(FIND, [q.client_id, device_reference, telemetry_id])
}

const FIND = `
  select ${TELEMETRY.list.columns}, r.group_id, k.wrapped_key, r.iv, r.sealed_meta, (
      select json_build_object('telemetry_id', a.telemetry_id, 'telemetry_time', a.telemetry_time) from telemetry a
      where a.client_id = $1 and a.device_id = r.device_id and a.has_applications
        and (a.telemetry_time, a.row_id) <= (r.telemetry_time, r.row_id) and a.telemetry_time <= r.telemetry_time
      order by a.telemetry_time desc, a.row_id desc limit 1) as applications_in
  from telemetry r ${JOINS} join report_keys k on k.client_id = r.client_id and k.report_key_id = r.report_key_id
  where r.client_id = $1 and d.device_reference = $2 and ${indexed('r.telemetry_id')} = ${indexed('$3::text')} and r.telemetry_id = $3
  order by r.telemetry_time desc limit 1`

/** Facts that reports of a month share. */
export interface SharedFacts {
  /** First eight bytes of the digest of month and facts, as a number. */
  facts_id: string
  month: number
  facts: DeviceFacts
}

/** Splits the facts of a report into those that change with each report and those that many share. */
export function splitFacts(facts: DeviceFacts, at: number): { shared: SharedFacts; values: object } {
  const { sims, ...others } = facts
  const steady = sims?.map(({ signal_strength: _signal, ...sim }) => sim)
  const named = Object.entries(others)
  const shared = Object.fromEntries([
    ...named.filter(([name]) => !(name in CHANGING_FACTS)),
    ...(steady ? [['sims', steady]] : []),
  ]) as DeviceFacts
  const time = new Date(at * 1000)
  const month = (time.getUTCFullYear() - 1970) * 12 + time.getUTCMonth()
  const digest = hash('sha256', JSON.stringify([month, shared]), 'buffer')
  const facts_id = String(digest.readBigInt64BE())
  const signals = sims?.map(({ signal_strength = null }) => signal_strength)
  return {
    shared: { facts_id, month, facts: shared },
    values: {
      ...Object.fromEntries(named.filter(([name]) => name in CHANGING_FACTS)),
      facts_id,
      sim_signals: signals?.some((signal) => signal !== null) ? signals : null,
    },
  }
}

/** Stores shared facts once. */
export async function keepSharedFacts(tx: Tx, shared: readonly SharedFacts[]): Promise<void> {
  await tx.query(
    `insert into telemetry_facts (client_id, facts_id, month, facts)
     select distinct on (facts_id) $1::int, facts_id, month, facts
     from jsonb_to_recordset($2) as g (facts_id bigint, month int, facts jsonb) order by facts_id on conflict do nothing`,
    [tx.client_id, JSON.stringify(shared)],
  )
}

/**
 * Deletes the shared facts of months before the oldest report. The lock lets no upload refer to facts that this
 * transaction deletes.
 */
export async function forgetSharedFacts(tx: Tx): Promise<void> {
  await tx.query('lock table telemetry_facts in share row exclusive mode')
  await tx.query(
    `delete from telemetry_facts f using (
       select extract(year from oldest)::int * 12 - 1970 * 12 + extract(month from oldest)::int - 1 as month
       from (select to_timestamp(min(telemetry_time)) at time zone 'UTC' as oldest from telemetry where client_id = $1) t) o
     where f.client_id = $1 and f.month < coalesce(o.month, f.month + 1)`,
    [tx.client_id],
  )
}
