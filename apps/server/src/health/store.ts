import type pg from 'pg'
import type { AppContext } from '../app-context.ts'

/** Maximum clients with their own label; each is a time series in Prometheus. */
const CLIENTS_NAMED = 50

export interface DatabaseFigures {
  /** Jobs that wait (`created`, `retry`) or run (`active`); `oldest`: seconds that the oldest of them has waited. */
  queues: { queue: string; state: string; count: number; oldest: number | null }[]
  /** Tasks of clients by lane; `overdue`: seconds that the one which has been due for longest waits. */
  lanes: { lane: string; count: number; overdue: number }[]
  /** Payloads that have arrived and are not finished. */
  clients: { client: string; count: number; oldest: number }[]
  alerts: { target: string; severity: string; count: number }[]
  /** Destructions of all clients with remaining keys or objects; `oldest`: age of the oldest in seconds. */
  unfinished: { count: number; oldest: number }[]
  /** The last check of the archive, by outcome. */
  verified: { outcome: string; ended_at: number }[]
  /** When the newest backup ended; 0: there is none. */
  backed_up_at: number
  /** Whether the database fails to archive its write-ahead log; null: it does not archive. */
  archive_fails: boolean | null
}

/** What the database knows of how the installation is doing. Counts are of what is open, so they cost little however much is archived. */
export async function readDatabaseFigures({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<DatabaseFigures> {
  // The queue's own tables; all else as the provider's staff may see it.
  const queues: pg.QueryConfig & { query_timeout: number } = { text: QUEUES, query_timeout: QUEUE_LIMIT }
  const counted = db.owner.query<DatabaseFigures['queues'][number]>(queues)
  const [
    { rows },
    lanes,
    {
      rows: [backups],
    },
    across,
  ] = await Promise.all([
    counted,
    db.global((q) => q.query<DatabaseFigures['lanes'][number]>(LANES, [now()])),
    db.global((q) => q.query<Pick<DatabaseFigures, 'backed_up_at' | 'archive_fails'>>(BACKUPS)),
    db.acrossClients(async (q) => ({
      clients: await q.rows<DatabaseFigures['clients'][number]>(CLIENTS, [now(), CLIENTS_NAMED]),
      alerts: await q.rows<DatabaseFigures['alerts'][number]>(ALERTS),
      unfinished: await q.rows<DatabaseFigures['unfinished'][number]>(UNFINISHED, [now()]),
      verified: await q.rows<DatabaseFigures['verified'][number]>(VERIFIED),
    })),
  ])
  return { queues: rows, lanes: lanes.rows, backed_up_at: 0, archive_fails: null, ...backups, ...across }
}

/** Milliseconds; beyond it the connection is given up. */
const QUEUE_LIMIT = 10_000

const QUEUES = `
  select name as queue, state::text, count(*)::int as count,
    case when state < 'active' then extract(epoch from now() - min(created_on))::float8 end as oldest
  from pgboss.job where state <= 'active' group by name, state order by name, state`
const LANES = `
  select lane, count(*)::int as count, greatest(0, $1::bigint - min(due_at))::float8 as overdue
  from client_tasks group by lane order by lane`
const CLIENTS = `
  select client, count(*)::int as count, greatest(0, $1 - min(since))::float8 as oldest
  from payload_work join clients using (client_id) group by client order by count(*) desc, client limit $2`
const ALERTS = `
  select alert_target as target, alert_severity as severity, count(*)::int as count
  from alerts where alert_state = 'Triggered' group by alert_target, alert_severity`
const UNFINISHED = `
  select count(*)::int as count, greatest(0, coalesce($1 - min(since), 0))::float8 as oldest from destruction_intents`
const VERIFIED = `select distinct on (outcome) outcome, ended_at from verify_runs order by outcome, started_at desc`
const BACKUPS = `
  select (select coalesce(max(ended_at), 0)::float8 from backups) as backed_up_at,
    case when current_setting('archive_mode') <> 'off'
      then last_failed_time is not null and (last_archived_time is null or last_failed_time > last_archived_time) end as archive_fails
  from pg_stat_archiver`

/** Resolves once the database has answered. */
export async function askDatabase(db: AppContext['db']): Promise<void> {
  await db.global((q) => q.query('select 1'))
}
