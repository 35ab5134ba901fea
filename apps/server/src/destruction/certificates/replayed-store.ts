import { CERTIFIED_LIMIT } from '@custodia/contract'
import { CLOCK } from '../../held-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { CERTIFIED, type Certified, certifiedOf, type Line, type Uncertified } from './certificate-store.ts'

// Runs of the replaced database: the ledger replay restored their lines, without a count.

/** A replayed run and the number of its ledger lines. */
export type Replayed = Omit<Uncertified, 'parts'> & { lines: number }

/** Oldest replayed run with finished, uncertified lines. */
export async function findReplayed(q: Queryable): Promise<Replayed | undefined> {
  const { rows } = await q.query<Replayed>(
    `select r.run_id, r.began_at, r.ended_at, c.last + 1 as part, l.lines, ${CLOCK} as now
     from destruction_runs r left join destruction_runs_certified d using (client_id, run_id)
     cross join lateral (select coalesce(max(part), 0) as last from destruction_certificates c where c.client_id = r.client_id and c.run_id = r.run_id) c
     cross join lateral (select count(*)::int as lines, count(e.payload_id)::int as gone from destruction_ledger l
       left join destruction_ends e using (client_id, payload_id) where l.client_id = r.client_id and l.run_id = r.run_id) l
     where r.client_id = $1 and r.ended_at is not null and r.payloads is null and l.lines = l.gone and l.lines > coalesce(d.lines, 0)
     order by r.run_id limit 1`,
    [q.client_id],
    'certificates_replayed',
  )
  return rows[0]
}

/** SQL: uncertified lines `l` of run $2, with their ends `e`. */
const LEFT = `destruction_ledger l join destruction_ends e using (client_id, payload_id)
  where l.client_id = $1 and l.run_id = $2 and l.payload_reference not in (select x ->> 'payload_reference'
    from destruction_certificates c cross join lateral jsonb_array_elements(c.body::jsonb -> 'payloads') x where c.client_id = $1 and c.run_id = $2)`

/** Number of uncertified lines of such a run. */
export async function countLeft(q: Queryable, { run_id }: Pick<Replayed, 'run_id'>): Promise<number> {
  const { rows } = await q.query<{ count: number }>(
    `select count(*)::int as count from ${LEFT}`,
    [q.client_id, run_id],
    'certificates_left_count',
  )
  return rows[0]?.count ?? 0
}

/** Uncertified lines, at most one certificate's worth. */
export async function findLeft(q: Queryable, { run_id }: Pick<Replayed, 'run_id'>): Promise<Certified[]> {
  const { rows } = await q.query<Line>(
    `select ${CERTIFIED} from ${LEFT} order by l.payload_id limit ${CERTIFIED_LIMIT}`,
    [q.client_id, run_id],
    'certificates_left',
  )
  return rows.map(certifiedOf)
}

/** Marks these lines as certified. */
export async function settleReplayed(tx: Tx, { run_id, lines }: Replayed): Promise<void> {
  await tx.query(
    `insert into destruction_runs_certified (client_id, run_id, lines) values ($1, $2, $3)
     on conflict (client_id, run_id) do update set lines = excluded.lines`,
    [tx.client_id, run_id, lines],
    'certificates_settle',
  )
}
