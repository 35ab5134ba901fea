import type { DeviceFacts, ReportOutcome } from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'
import type { Monthly } from '../../ports/database/partitions.ts'
import type { Holder } from '../../device-records/store.ts'

export const TELEMETRY_TABLE: Monthly = { table: 'telemetry', time: 'telemetry_time' }

const COLUMNS = `${clientColumn('r.client_id')}, r.telemetry_id, r.telemetry_time, r.received_at, r.facts, d.device_reference,
    u.device_user_reference, g.group_reference as "group"`
const JOINS = `join devices d using (client_id, device_id) join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    left join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id`

export const TELEMETRY_LIST: TimeOrdered = {
  ...TELEMETRY_TABLE,
  id: 'row_id',
  id_type: 'bigint',
  columns: COLUMNS,
  joins: JOINS,
}
/** Newest report of each device. */
export const LATEST_LIST: TimeOrdered = { ...TELEMETRY_LIST, table: 'telemetry_latest', time: 'at' }

/** A report with its device and holder. */
export interface NewTelemetry {
  device_id: number
  telemetry_id: string
  telemetry_time: number
  facts: DeviceFacts
  has_applications: boolean
  report_key_id: number
  iv: string
  sealed_meta: string
  checksum: Buffer
  holder: Holder
  received_at: number
}
type Status = Exclude<ReportOutcome['status'], 'failed'>

/**
 * Stores reports in order; returns the result of each. A repeat is stored once; a different report with the same key is
 * a conflict.
 */
export async function insertTelemetry(tx: Tx, reports: readonly NewTelemetry[]): Promise<Status[]> {
  const rows = reports.map(({ holder: { group_id, device_user_id }, checksum, ...rest }) => ({
    ...rest,
    group_id,
    device_user_id,
    checksum: checksum.toString('base64'),
  }))
  const given = [tx.client_id, JSON.stringify(rows)]
  const stored = await tx.query<{ count: number }>(INSERT, given, 'telemetry_insert')
  if (stored.rows[0]?.count === rows.length) return rows.map(() => 'stored')
  const { rows: found } = await tx.query<{ status: Status }>(COMPARE, given, 'telemetry_compare')
  return found.map(({ status }) => status)
}

const GIVEN =
  'device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, has_applications, report_key_id, received_at'

const WITH_GIVEN = `
  with given as materialized (
    select g.* from rows from (jsonb_to_recordset($2::jsonb) as (device_id int, telemetry_id text, telemetry_time bigint, group_id int,
      device_user_id int, facts jsonb, has_applications boolean, report_key_id bigint, received_at bigint, iv text, sealed_meta text, checksum text))
      with ordinality as g (${GIVEN}, iv, sealed_meta, checksum, place)
  )`

/** SQL: keeps the newest report `s` of each device unless a newer one is stored. */
const keepNewest = (reports: string) => `
    insert into telemetry_latest as l (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, device_user_id, facts,
      received_at, made_reference)
    select distinct on (s.device_id) $1::int, s.device_id, least(s.telemetry_time, s.received_at), s.row_id, s.telemetry_id, s.telemetry_time,
      s.group_id, s.device_user_id, s.facts, s.received_at, substring(d.device_reference from '^[0-7][0-9A-HJKMNP-TV-Z]{25}$')
    from ${reports} join devices d on d.client_id = $1 and d.device_id = s.device_id
    order by s.device_id, least(s.telemetry_time, s.received_at) desc, s.row_id desc
    on conflict (client_id, device_id) do update set at = excluded.at, row_id = excluded.row_id, telemetry_id = excluded.telemetry_id,
      telemetry_time = excluded.telemetry_time, group_id = excluded.group_id, device_user_id = excluded.device_user_id,
      facts = excluded.facts, received_at = excluded.received_at, made_reference = excluded.made_reference
    where (excluded.at, excluded.row_id) > (l.at, l.row_id)`

const INSERT = `${WITH_GIVEN}, stored as (
    insert into telemetry (client_id, ${GIVEN}, iv, sealed_meta, checksum)
    select $1, ${GIVEN}, decode(iv, 'base64'), decode(sealed_meta, 'base64'), decode(checksum, 'base64')
    from given order by device_id, telemetry_id, telemetry_time, place
    on conflict do nothing
    returning device_id, row_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, received_at
  ), newest as (
    ${keepNewest('stored s')}
    returning device_id, facts
  ), result as (
    update devices d set os_version = n.facts->>'os_version', app_version = n.facts->>'app_version', model = n.facts->>'model'
    from newest n where d.client_id = $1 and d.device_id = n.device_id
      and (d.os_version, d.app_version, d.model) is distinct from (n.facts->>'os_version', n.facts->>'app_version', n.facts->>'model')
  )
  select count(*)::int as count from stored`

// A separate statement: the insert does not see its own rows or those of parallel transactions.
const COMPARE = `${WITH_GIVEN}
  select case when t.checksum = decode(g.checksum, 'base64') then 'stored' else 'conflict' end as status
  from given g join telemetry t on t.client_id = $1 and t.device_id = g.device_id and t.telemetry_id = g.telemetry_id
    and t.telemetry_time = g.telemetry_time
  order by g.place`

const FIND_NEWEST = keepNewest('(select * from telemetry where client_id = $1 and device_id = any($2)) s')

/** Reassigns at most `most` reports from the reserved group by the device's history. Returns the number. */
export async function reassignTelemetry(tx: Tx, device_id: number, most: number): Promise<number> {
  const { rowCount } = await tx.query(REFILE, [tx.client_id, device_id, most], 'telemetry_refile')
  return rowCount
}

/** Locks in the same order as retention. */
const REFILE = `
  with due as materialized (
    select t.telemetry_id, t.telemetry_time, h.group_id, h.device_user_id from telemetry t cross join lateral (
      select h.group_id, h.device_user_id from device_history h where h.client_id = t.client_id and h.device_id = t.device_id
      order by h.from_at <= t.telemetry_time desc, abs(h.from_at - t.telemetry_time) limit 1) h
    where t.client_id = $1 and t.device_id = $2 and h.group_id <> t.group_id
      and t.group_id = (select group_id from groups where client_id = $1 and is_reserved)
    order by t.telemetry_id, t.telemetry_time limit $3 for update of t
  ), newest as (
    update telemetry_latest l set group_id = due.group_id, device_user_id = due.device_user_id from due
    where l.client_id = $1 and l.device_id = $2 and l.telemetry_id = due.telemetry_id and l.telemetry_time = due.telemetry_time
  )
  update telemetry t set group_id = due.group_id, device_user_id = due.device_user_id from due
  where t.client_id = $1 and t.device_id = $2 and t.telemetry_id = due.telemetry_id and t.telemetry_time = due.telemetry_time`

/** Recomputes the newest report of devices from the remaining ones. */
export async function forgetNewest(tx: Tx, device_ids: readonly number[]): Promise<void> {
  const { rows } = await tx.query<{ device_id: number }>(
    `delete from telemetry_latest l where client_id = $1 and device_id = any($2) and not exists (
       select from telemetry t where t.client_id = l.client_id and t.device_id = l.device_id and t.telemetry_id = l.telemetry_id
         and t.telemetry_time = l.telemetry_time and t.row_id = l.row_id) returning device_id`,
    [tx.client_id, device_ids],
    'telemetry_latest_forget',
  )
  if (rows.length > 0)
    await tx.query(FIND_NEWEST, [tx.client_id, rows.map((row) => row.device_id)], 'telemetry_latest_find')
}

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
  select ${COLUMNS}, r.group_id, k.wrapped_key, r.iv, r.sealed_meta, (
      select json_build_object('telemetry_id', a.telemetry_id, 'telemetry_time', a.telemetry_time) from telemetry a
      where a.client_id = $1 and a.device_id = r.device_id and a.has_applications
        and (a.telemetry_time, a.row_id) <= (r.telemetry_time, r.row_id) and a.telemetry_time <= r.telemetry_time
      order by a.telemetry_time desc, a.row_id desc limit 1) as applications_in
  from telemetry r ${JOINS} join report_keys k on k.client_id = r.client_id and k.report_key_id = r.report_key_id
  where r.client_id = $1 and d.device_reference = $2 and r.telemetry_id = $3 order by r.telemetry_time desc limit 1`
