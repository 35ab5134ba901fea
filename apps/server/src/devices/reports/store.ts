import { AHEAD_SECONDS, type DeviceFacts, type REPORT_STATUSES } from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import type { Holder } from '../../device-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/time-ordered.ts'

/** A kind of device reports: its table and what distinguishes it. One row is one report. */
export interface ReportKind {
  /** The table as lists read it; `time` is the time of a report and partitions the table. */
  list: TimeOrdered
  /** The id that the device gives a report. With device and time it is unique. */
  reference: string
  /** Columns of the kind and their types. Callers give bytea as base64. */
  columns: Readonly<Record<string, string>>
  /** SQL: a stored report `s` equals a given one `g`; null if only its opened content shows it. */
  equal: string | null
  /** The table of the newest reports. */
  newest?: NewestTable
  /** SQL: a further part of the insert, which may read the new rows of the table of newest reports, `newest`. */
  also?: string
  /** Action in the audit log when retention destroys reports. */
  destroyed_as: string
}

/** A table with the newest report of each device, or of each device and group. */
interface NewestTable {
  table: string
  per: 'device_id' | 'device_id, group_id'
  /** Column of the time that decides. */
  at: string
  /** Columns and their SQL values from a report `s`. */
  columns: Readonly<Record<string, string>>
  /** SQL: whether report `s` can be the newest one. */
  only?: string
}

const CLIENT = clientColumn('r.client_id')
/** Columns and joins that every kind shows. */
const SHOWN = 'd.device_reference, u.device_user_reference, g.group_reference as "group", r.received_at'
export const JOINS = `join devices d on d.client_id = r.client_id and d.device_id = r.device_id
    join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    left join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id`
const getList = (table: string, time: string, columns: string): TimeOrdered => ({
  table,
  time,
  id: 'row_id',
  id_type: 'bigint',
  columns: `${SHOWN}, ${columns}`,
  joins: JOINS,
})
/** SQL: a reference as the unique index has it, because long references would double the index. */
export const indexed = (reference: string): string => `hashtextextended(${reference}, 0)`
/** Columns of the newest report that equal those of the report. */
const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `s.${name}`]))

export const LOGS: ReportKind = {
  list: getList(
    'device_logs',
    'log_datetime',
    `${CLIENT}, r.log_id, r.log_class, r.log_level, r.log_datetime, r.local_timezone, r.log_message, r.payload_reference`,
  ),
  reference: 'log_id',
  columns: {
    log_class: 'text',
    log_level: 'text',
    local_timezone: 'text',
    log_message: 'text',
    payload_reference: 'text',
  },
  equal: `(s.log_class, s.log_level, s.local_timezone, s.log_message) = (g.log_class, g.log_level, g.local_timezone, g.log_message)
    and s.payload_reference is not distinct from g.payload_reference`,
  destroyed_as: 'retention:destroy_logs',
}

export const GPS: ReportKind = {
  list: getList(
    'gps_points',
    'timestamp',
    `r.gps_reference, r.timestamp, r.key_id, encode(r.sealed, 'base64') as sealed`,
  ),
  reference: 'gps_reference',
  columns: { key_id: 'bigint', sealed: 'bytea' },
  equal: null,
  newest: {
    table: 'gps_latest',
    per: 'device_id, group_id',
    at: 'timestamp',
    columns: same('device_id', 'group_id', 'device_user_id', 'timestamp', 'row_id'),
    // A clock that runs a day ahead or more does not decide the last position.
    only: `s.timestamp <= s.received_at + ${AHEAD_SECONDS}`,
  },
  destroyed_as: 'retention:destroy_positions',
}

/** Facts that change with each report, as columns; the others are shared (`telemetry_facts`). */
export const CHANGING_FACTS = {
  memory_available: 'bigint',
  storage_available: 'bigint',
  mobile_received: 'bigint',
  mobile_sent: 'bigint',
  wifi_received: 'bigint',
  wifi_sent: 'bigint',
  queue_payloads: 'bigint',
  queue_size: 'bigint',
  queue_oldest_at: 'bigint',
  gps_signal_strength: 'double precision',
  battery_percentage: 'smallint',
  gps_satellites: 'smallint',
  wifi_signal_strength: 'smallint',
  is_charging: 'boolean',
  is_wifi_connected: 'boolean',
} as const satisfies Partial<Record<keyof DeviceFacts, string>>

/** SQL: all facts of a telemetry row. */
export const factsSql = (row: string): string => `coalesce((
    select f.facts || jsonb_strip_nulls(jsonb_build_object(${Object.keys(CHANGING_FACTS).map((name) => `'${name}', ${row}.${name}`)}))
      || case when ${row}.sim_signals is null then '{}' else jsonb_build_object('sims', (
        select jsonb_agg(sim || jsonb_strip_nulls(jsonb_build_object('signal_strength', ${row}.sim_signals[n])) order by n)
        from jsonb_array_elements(f.facts->'sims') with ordinality as slots (sim, n))) end
    from telemetry_facts f where f.client_id = ${row}.client_id and f.facts_id = ${row}.facts_id), '{}')`

const telemetryList = (table: string, time: string, facts: string): TimeOrdered =>
  getList(table, time, `${CLIENT}, r.telemetry_id, r.telemetry_time, ${facts} as facts`)

/** Newest report of each device. */
export const LATEST_TELEMETRY: TimeOrdered = telemetryList('telemetry_latest', 'at', 'r.facts')

export const TELEMETRY: ReportKind = {
  list: telemetryList('telemetry', 'telemetry_time', factsSql('r')),
  reference: 'telemetry_id',
  columns: {
    ...CHANGING_FACTS,
    sim_signals: 'smallint[]',
    facts_id: 'bigint',
    has_applications: 'boolean',
    report_key_id: 'bigint',
    iv: 'bytea',
    sealed_meta: 'bytea',
    checksum: 'bytea',
  },
  equal: `s.checksum = decode(g.checksum, 'base64')`,
  newest: {
    table: 'telemetry_latest',
    per: 'device_id',
    at: 'at',
    columns: {
      ...same('device_id', 'row_id', 'telemetry_id', 'telemetry_time', 'group_id', 'device_user_id'),
      facts: factsSql('s'),
      received_at: 's.received_at',
      at: 'least(s.telemetry_time, s.received_at)',
      made_reference: `(select substring(d.device_reference from '^[0-7][0-9A-HJKMNP-TV-Z]{25}$') from devices d
        where d.client_id = $1 and d.device_id = s.device_id)`,
    },
  },
  also: `update devices d set os_version = n.facts->>'os_version', app_version = n.facts->>'app_version', model = n.facts->>'model'
    from newest n where d.client_id = $1 and d.device_id = n.device_id
      and (d.os_version, d.app_version, d.model) is distinct from (n.facts->>'os_version', n.facts->>'app_version', n.facts->>'model')`,
  destroyed_as: 'retention:destroy_telemetry',
}

/** Every kind: each has its own list and upload, and all have one way in, one retention and one reassignment. */
export const REPORT_KINDS: readonly ReportKind[] = [LOGS, GPS, TELEMETRY]

/** A report as its kind stores it. */
export interface NewReport extends Holder {
  device_id: number
  reference: string
  at: number
  received_at: number
  /** By column; absent: null. */
  values: Readonly<Record<string, unknown>>
}
/** Outcome of a readable report. */
export type StoredStatus = Exclude<(typeof REPORT_STATUSES)[number], 'failed'>

interface Statements {
  insert: string
  compare: string | undefined
  reassign: string
  stale: string
  renew: string
}
const prepared = new Map<ReportKind, Statements>()
function getStatements(kind: ReportKind): Statements {
  const known = prepared.get(kind) ?? statements(kind)
  prepared.set(kind, known)
  return known
}

function statements(kind: ReportKind): Statements {
  const { list, reference, columns, equal, newest, also } = kind
  const { table, time } = list
  const types = {
    device_id: 'int',
    [reference]: 'text',
    [time]: 'bigint',
    group_id: 'int',
    device_user_id: 'int',
    received_at: 'bigint',
    ...columns,
  }
  const names = Object.keys(types)
  const given = `with given as materialized (
      select g.* from rows from (jsonb_to_recordset($2::jsonb)
        as (${Object.entries(types).map(([name, type]) => `${name} ${type === 'bytea' ? 'text' : type}`)}))
        with ordinality as g (${names}, place))`
  const values = Object.entries(types).map(([name, type]) =>
    type === 'bytea' ? `decode(${name}, 'base64')` : name,
  )
  return {
    insert: `${given}, stored as (
        insert into ${table} (client_id, ${names}) select $1, ${values} from given order by device_id, ${reference}, ${time}, place
        on conflict do nothing returning ${newest ? '*' : 'device_id'})
      ${newest ? `, newest as (${keepNewest(newest, 'stored s')} returning *)` : ''} ${also ? `, further as (${also})` : ''}
      select count(*)::int as count from stored`,
    // A separate statement: the insert does not see its own rows or those of parallel transactions.
    compare:
      equal === null
        ? undefined
        : `${given} select case when s.${reference} = g.${reference} and ${equal} then 'stored' else 'conflict' end as status
      from given g join ${table} s on s.client_id = $1 and s.device_id = g.device_id and ${indexed(`s.${reference}`)} = ${indexed(`g.${reference}`)}
        and s.${time} = g.${time} order by g.place`,
    // Locks in the same order as retention.
    reassign: `with due as materialized (
        select r.row_id, r.${time}, h.group_id, h.device_user_id from ${table} r cross join lateral (
          select h.group_id, h.device_user_id from device_history h where h.client_id = r.client_id and h.device_id = r.device_id
          order by h.from_at <= r.${time} desc, abs(h.from_at - r.${time}) limit 1) h
        where r.client_id = $1 and r.device_id = $2 and h.group_id <> r.group_id
          and r.group_id = (select group_id from groups where client_id = $1 and is_reserved)
        order by r.${reference}, r.${time} limit $3 for update of r)
      update ${table} r set group_id = due.group_id, device_user_id = due.device_user_id from due
      where r.client_id = $1 and r.device_id = $2 and r.row_id = due.row_id and r.${time} = due.${time}`,
    stale: newest
      ? `delete from ${newest.table} l where l.client_id = $1 and l.device_id = any($2) and not exists (
        select from ${table} r where r.client_id = l.client_id and r.device_id = l.device_id and r.${time} = l.${time} and r.row_id = l.row_id
          and r.group_id = l.group_id) returning l.device_id`
      : '',
    renew: newest
      ? keepNewest(newest, `(select * from ${table} where client_id = $1 and device_id = any($2)) s`)
      : '',
  }
}

/** SQL: keeps the newest of the reports `s`, unless a newer one is stored. */
function keepNewest({ table, per, at, columns, only = 'true' }: NewestTable, reports: string): string {
  const names = Object.keys(columns)
  return `insert into ${table} as l (client_id, ${names})
    select distinct on (${per}) $1::int, ${Object.values(columns)} from ${reports} where ${only}
    order by ${per}, ${columns[at]} desc, s.row_id desc
    on conflict (client_id, ${per}) do update set ${names.map((name) => `${name} = excluded.${name}`)}
    where (excluded.${at}, excluded.row_id) > (l.${at}, l.row_id)`
}

/**
 * Stores reports in order; returns the result of each. A repeat is stored once; a different report with the same key is
 * a conflict.
 * @param compare compares the reports with the stored ones, for a kind without `equal`
 */
export async function insertReports<Report extends NewReport>(
  tx: Tx,
  kind: ReportKind,
  reports: readonly Report[],
  compare: (tx: Tx, reports: readonly Report[]) => Promise<StoredStatus[]>,
): Promise<StoredStatus[]> {
  const { time } = kind.list
  const { insert, compare: comparison } = getStatements(kind)
  const rows = reports.map(({ device_id, reference, at, group_id, device_user_id, received_at, values }) => ({
    ...values,
    device_id,
    [kind.reference]: reference,
    [time]: at,
    group_id,
    device_user_id,
    received_at,
  }))
  const given = [tx.client_id, JSON.stringify(rows)]
  const stored = await tx.query<{ count: number }>(insert, given)
  if (stored.rows[0]?.count === rows.length) return rows.map(() => 'stored')
  if (comparison === undefined) return compare(tx, reports)
  return tx.column<StoredStatus>(comparison, given)
}

/** Reassigns at most `most` reports from the reserved group by the device's history. Returns the number. */
export async function reassignReports(
  tx: Tx,
  kind: ReportKind,
  device_id: number,
  most: number,
): Promise<number> {
  const { reassign } = getStatements(kind)
  const { rowCount } = await tx.query(reassign, [tx.client_id, device_id, most])
  if (rowCount > 0) await renewNewest(tx, kind, [device_id])
  return rowCount
}

/** Recomputes the newest reports of devices whose newest one was deleted or moved to another group. */
export async function renewNewest(tx: Tx, kind: ReportKind, device_ids: readonly number[]): Promise<void> {
  if (!kind.newest) return
  const { stale, renew } = getStatements(kind)
  const { rows } = await tx.query<{ device_id: number }>(stale, [tx.client_id, device_ids])
  if (rows.length > 0) await tx.query(renew, [tx.client_id, rows.map((row) => row.device_id)])
}

/** A wrapped key of device reports. */
export interface ReportKey {
  device_id: number
  /** SHA-256 of the key as the device wrapped it. */
  digest: Buffer
  wrapped_key: Buffer
}

/** A stored key of a device; undefined for a new one. */
export async function findReportKey(
  q: Queryable,
  device_id: number,
  digest: Buffer,
): Promise<Buffer | undefined> {
  const { rows } = await q.query<Pick<ReportKey, 'wrapped_key'>>(
    'select wrapped_key from report_keys where client_id = $1 and device_id = $2 and digest = $3',
    [q.client_id, device_id, digest],
  )
  return rows[0]?.wrapped_key
}

/** Stores keys once; resolves to their ids, in order. */
export function keepReportKeys(tx: Tx, keys: readonly ReportKey[], now: number): Promise<number[]> {
  return tx.column<number>(KEEP, [
    tx.client_id,
    keys.map(({ device_id }) => device_id),
    keys.map(({ digest }) => digest),
    keys.map(({ wrapped_key }) => wrapped_key),
    now,
  ])
}

// The no-op update also returns a row that a parallel transaction inserted.
const KEEP = `
  with given as materialized (
    select * from unnest($2::int[], $3::bytea[], $4::bytea[]) with ordinality as g (device_id, digest, wrapped_key, place)
  ), known as (
    select k.device_id, k.digest, k.report_key_id from given g join report_keys k on k.client_id = $1 and k.device_id = g.device_id and k.digest = g.digest
  ), kept as (
    insert into report_keys as k (client_id, device_id, digest, wrapped_key, made_at)
    select distinct on (device_id, digest) $1::int, device_id, digest, wrapped_key, $5::bigint from given
    where (device_id, digest) not in (select device_id, digest from known) order by device_id, digest
    on conflict (client_id, device_id, digest) do update set made_at = k.made_at
    returning device_id, digest, report_key_id
  ), ids as (select * from kept union select * from known)
  select ids.report_key_id from given g join ids using (device_id, digest) order by g.place`

/** Stores the id of a device alert. False for a repeated id. */
export async function noteAlert(tx: Tx, device_id: number, alert_id: string, at: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into device_alerts (client_id, device_id, alert_id, at) values ($1, $2, $3, $4) on conflict do nothing',
    [tx.client_id, device_id, alert_id, at],
  )
  return rowCount === 1
}

/** Deletes ids of alerts raised before a time. */
export async function forgetAlerts(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from device_alerts where client_id = $1 and at < $2', [tx.client_id, before])
}
