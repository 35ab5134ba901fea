import type { LOG_STATUSES, LogEntry, LogLevel } from '@custodia/contract'
import { clientColumn } from '../../clients/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'
import type { Monthly } from '../../ports/database/partitions.ts'
import type { ReportList } from '../report-list.ts'
import type { Holder } from '../../device-records/store.ts'

/** Stores the id of a device alert. False for a repeated id. */
export async function noteAlert(tx: Tx, device_id: number, alert_id: string, at: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into device_alerts (client_id, device_id, alert_id, at) values ($1, $2, $3, $4) on conflict do nothing',
    [tx.client_id, device_id, alert_id, at],
    'device_alert_note',
  )
  return rowCount === 1
}

/** Deletes ids of alerts raised before a time. */
export async function forgetAlerts(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from device_alerts where client_id = $1 and at < $2', [tx.client_id, before])
}

export const LOG_TABLE: Monthly = { table: 'device_logs', time: 'log_datetime' }

export const LOG_LIST: TimeOrdered = {
  ...LOG_TABLE,
  id: 'row_id',
  id_type: 'bigint',
  columns: `${clientColumn('r.client_id')}, r.log_id, r.log_class, r.log_level, r.log_datetime, r.local_timezone, r.log_message,
    r.payload_reference, d.device_reference, u.device_user_reference, g.group_reference as "group", r.received_at`,
  joins: `join devices d using (client_id, device_id) join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    left join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id`,
}

/** Rare levels with a partial index. */
const PROBLEMS: ReadonlySet<LogLevel> = new Set(['WARN', 'ERROR'])

/** Index for a level filter: the partial index for rare levels only. */
export const logsOfLevels = (levels: readonly LogLevel[] | undefined): Pick<ReportList, 'of' | 'walked'> =>
  levels?.every((level) => PROBLEMS.has(level))
    ? {
        of: { ...LOG_LIST, only: `r.log_level in ('WARN', 'ERROR')` },
        walked: { column: 'log_level', cast: 'text', values: levels },
      }
    : { of: LOG_LIST }

/** A log with its device and holder. */
interface NewLog {
  device_id: number
  entry: LogEntry
  holder: Holder
  received_at: number
}

/**
 * Stores logs in order; returns the result of each. A repeat is stored once; a different log with the same key is a
 * conflict.
 */
export async function insertLogs(tx: Tx, logs: readonly NewLog[]): Promise<(typeof LOG_STATUSES)[number][]> {
  const rows = logs.map(({ device_id, entry, holder, received_at }) => ({
    device_id,
    ...entry,
    payload_reference: entry.payload_reference ?? null,
    group_id: holder.group_id,
    device_user_id: holder.device_user_id,
    received_at,
  }))
  const given = [tx.client_id, JSON.stringify(rows)]
  const { rowCount } = await tx.query(INSERT, given, 'device_logs_insert')
  if (rowCount === rows.length) return rows.map(() => 'stored')
  const { rows: found } = await tx.query<{ status: (typeof LOG_STATUSES)[number] }>(
    COMPARE,
    given,
    'device_logs_compare',
  )
  return found.map(({ status }) => status)
}

const GIVEN =
  'device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, payload_reference, log_message, received_at'

const WITH_GIVEN = `
  with given as materialized (
    select g.* from rows from (jsonb_to_recordset($2::jsonb) as (device_id int, log_id text, log_datetime bigint, group_id int, device_user_id int,
      log_class text, log_level text, local_timezone text, payload_reference text, log_message text, received_at bigint))
      with ordinality as g (${GIVEN}, place)
  )`

const INSERT = `${WITH_GIVEN}
  insert into device_logs (client_id, ${GIVEN}) select $1, ${GIVEN} from given order by device_id, log_id, log_datetime, place
  on conflict do nothing`

// A separate statement: the insert does not see its own rows or those of parallel transactions.
const COMPARE = `${WITH_GIVEN}
  select case when (l.log_class, l.log_level, l.local_timezone, l.log_message) = (g.log_class, g.log_level, g.local_timezone, g.log_message)
      and l.payload_reference is not distinct from g.payload_reference then 'stored' else 'conflict' end as status
  from given g join device_logs l on l.client_id = $1 and l.device_id = g.device_id and l.log_id = g.log_id and l.log_datetime = g.log_datetime
  order by g.place`

/** Reassigns at most `most` logs from the reserved group by the device's history. Returns the number. */
export async function reassignLogs(tx: Tx, device_id: number, most: number): Promise<number> {
  const { rowCount } = await tx.query(REFILE, [tx.client_id, device_id, most], 'device_logs_refile')
  return rowCount
}

/** Locks in the same order as retention. */
const REFILE = `
  with due as materialized (
    select l.log_id, l.log_datetime, h.group_id, h.device_user_id from device_logs l cross join lateral (
      select h.group_id, h.device_user_id from device_history h where h.client_id = l.client_id and h.device_id = l.device_id
      order by h.from_at <= l.log_datetime desc, abs(h.from_at - l.log_datetime) limit 1) h
    where l.client_id = $1 and l.device_id = $2 and h.group_id <> l.group_id
      and l.group_id = (select group_id from groups where client_id = $1 and is_reserved)
    order by l.log_id, l.log_datetime limit $3 for update of l)
  update device_logs l set group_id = due.group_id, device_user_id = due.device_user_id from due
  where l.client_id = $1 and l.device_id = $2 and l.log_id = due.log_id and l.log_datetime = due.log_datetime`
