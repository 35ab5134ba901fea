import pg from 'pg'
import type { GlobalTx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import type { ClientFigures, StatisticsSource, Month, TableFacts } from './figures.ts'

/** The newest figures, or undefined when none were gathered yet. */
export function readGathered(db: Database): Promise<StatisticsSource | undefined> {
  return db.global((q) => q.value<StatisticsSource>('select document from statistics where is_newest'))
}

/** Replaces the figures; older ones that come late change nothing. */
export async function writeGathered(db: Database, gathered: StatisticsSource): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(
      `insert into statistics as s (document, updated_at) values ($1, $2) on conflict (is_newest) do update
       set document = excluded.document, updated_at = excluded.updated_at where s.updated_at <= excluded.updated_at`,
      [JSON.stringify(gathered), gathered.now],
    ),
  )
}

// Sizes and estimates of partitioned tables are those of their partitions. The catalogue shows them to everybody.
const TABLES = `
  select c.relname as name, c.relrowsecurity as is_tenant, has_table_privilege(c.oid, 'select') as is_readable,
    sum(pg_total_relation_size(part.oid))::float8 as bytes, sum(greatest(part.reltuples, 0))::float8 as estimate
  from pg_class c
  join pg_class part on part.oid = c.oid or part.oid in (select relid from pg_partition_tree(c.oid) where isleaf)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.oid, c.relname, c.relrowsecurity order by c.relname collate "C"`

/** Tables of the installation with their sizes in bytes, indexes included. */
export function listTables(db: Database): Promise<TableFacts[]> {
  return db.global((q) => q.rows<TableFacts>(TABLES))
}

/** Rows of tables that belong to no tenant, by table. */
export async function countCommonRows(
  db: Database,
  tables: readonly string[],
  seconds: number,
): Promise<Record<string, number>> {
  return db.within(seconds).globalWrite((tx) => countRows(tx, tables))
}

/** What one client keeps: rows of tenant tables, objects and people with a session. Fails where a statement takes longer than `seconds`. */
export async function countOfClient(
  db: Database,
  { client_id, client }: { client_id: number; client: string },
  tables: readonly string[],
  { seconds, now }: { seconds: number; now: number },
): Promise<ClientFigures> {
  // The read takes no lock that blocks a writer.
  return db.within(seconds).write(client_id, async (tx) => {
    const rows = await countRows(tx, tables)
    const objects = await tx.query<{ count: number; bytes: number }>(
      'select count(*)::float8 as count, coalesce(sum(sealed_size), 0)::float8 as bytes from payload_objects',
    )
    const people = await tx.query<{ count: number }>(
      'select count(distinct user_reference)::int as count from portal_sessions where client_id = $1',
      [client_id],
    )
    const months = await tx.query<Month>(MONTHS, [client_id, now])
    return {
      client,
      months: months.rows,
      rows,
      objects: objects.rows[0] ?? { count: 0, bytes: 0 },
      portal_users: people.rows[0]?.count ?? 0,
      updated_at: now,
    }
  })
}

/** Months of the growth, this one included. */
const GROWTH_MONTHS = 13

const MONTHS = `
  with month as (
    select extract(epoch from m at time zone 'UTC')::bigint as start, extract(epoch from (m + interval '1 month') at time zone 'UTC')::bigint as next
    from generate_series(date_trunc('month', to_timestamp($2) at time zone 'UTC') - interval '${GROWTH_MONTHS - 1} months',
      date_trunc('month', to_timestamp($2) at time zone 'UTC'), interval '1 month') m
  ), recorded as (
    select start, sum(total)::int as recordings from payload_counts
    where client_id = $1 and grain = 'm' and type = 0 and group_id = 0 group by start
  ), arrived as (
    select m.start, sum(o.sealed_size)::float8 as bytes from month m
    join payload_objects o on o.client_id = $1 and o.created_at >= m.start and o.created_at < m.next group by m.start
  )
  select m.start, coalesce(recordings, 0) as recordings, coalesce(bytes, 0) as bytes
  from month m left join recorded using (start) left join arrived using (start) order by start`

/** Names come from the catalogue or from this program. */
async function countRows(tx: GlobalTx, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const { rows } = await tx.query<{ count: number }>(
      `select count(*)::float8 as count from ${pg.escapeIdentifier(table)}`,
    )
    counts[table] = rows[0]?.count ?? 0
  }
  return counts
}
