import type { House } from '../house.ts'

/** Clients that are named; each is a time series in somebody's Prometheus. */
const CLIENTS_NAMED = 50

export interface DatabaseFigures {
  /** Jobs that wait (`created`, `retry`) or run (`active`); `oldest`: seconds that the oldest of them has waited. */
  queues: { queue: string; state: string; count: number; oldest: number | null }[]
  /** Payloads that have arrived and are not finished. */
  clients: { client: string; count: number; oldest: number }[]
  alerts: { target: string; severity: string; count: number }[]
  /** The last check of the archive, by outcome. */
  verified: { outcome: string; ended_at: number }[]
}

/** What the database knows of how the installation is doing. Counts are of what is open, so they cost little however much is archived. */
export async function readDatabaseFigures({ db, now }: Pick<House, 'db' | 'now'>): Promise<DatabaseFigures> {
  // Across clients, and nothing but numbers: the owner's to read.
  const ask = async <Row>(text: string, values: unknown[] = []) =>
    (await db.owner.query({ text, values, ...LIMIT })).rows as Row[]
  const [queues, clients, alerts, verified] = await Promise.all([
    ask<DatabaseFigures['queues'][number]>(QUEUES),
    ask<DatabaseFigures['clients'][number]>(CLIENTS, [now(), CLIENTS_NAMED]),
    ask<DatabaseFigures['alerts'][number]>(ALERTS),
    ask<DatabaseFigures['verified'][number]>(VERIFIED),
  ])
  return { queues, clients, alerts, verified }
}

/** Milliseconds; beyond it the connection is given up. */
const LIMIT = { query_timeout: 10_000 }

const QUEUES = `
  select name as queue, state::text, count(*)::int as count,
    case when state < 'active' then extract(epoch from now() - min(created_on))::float8 end as oldest
  from pgboss.job where state <= 'active' group by name, state order by name, state`
const CLIENTS = `
  select client, count(*)::int as count, greatest(0, $1 - min(since))::float8 as oldest
  from payload_work join clients using (client_id) group by client order by count(*) desc, client limit $2`
const ALERTS = `
  select alert_target as target, alert_severity as severity, count(*)::int as count
  from alerts where alert_state = 'Triggered' group by alert_target, alert_severity`
const VERIFIED = `select distinct on (outcome) outcome, ended_at from verify_runs order by outcome, started_at desc`
