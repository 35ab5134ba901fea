import { CERTIFIED_LIMIT } from '@custodia/contract'
import { CLOCK } from '../../held-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { CERTIFIED, type Certified, certifiedOf, type Line, type Uncertified } from './certificate-store.ts'

// Runs of a database that this one replaces: what went in them came back from the ledger beside the keys, and nobody has counted it.

/** A run of before, of which everything that came back is gone, and its lines in the ledger. */
export type Replayed = Omit<Uncertified, 'parts'> & { lines: number }

/** The oldest run of before of which lines may lack a certificate, once everything that came back of it is gone. */
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

/** Lines `l` of run $2 that no certificate has, with their ends `e`. */
const LEFT = `destruction_ledger l join destruction_ends e using (client_id, payload_id)
  where l.client_id = $1 and l.run_id = $2 and l.payload_reference not in (select x ->> 'payload_reference'
    from destruction_certificates c cross join lateral jsonb_array_elements(c.body::jsonb -> 'payloads') x where c.client_id = $1 and c.run_id = $2)`

/** How much of such a run no certificate has. */
export async function countLeft(q: Queryable, { run_id }: Pick<Replayed, 'run_id'>): Promise<number> {
  const { rows } = await q.query<{ count: number }>(
    `select count(*)::int as count from ${LEFT}`,
    [q.client_id, run_id],
    'certificates_left_count',
  )
  return rows[0]?.count ?? 0
}

/** What of such a run no certificate has, as much as one may have. */
export async function findLeft(q: Queryable, { run_id }: Pick<Replayed, 'run_id'>): Promise<Certified[]> {
  const { rows } = await q.query<Line>(
    `select ${CERTIFIED} from ${LEFT} order by l.payload_id limit ${CERTIFIED_LIMIT}`,
    [q.client_id, run_id],
    'certificates_left',
  )
  return rows.map(certifiedOf)
}

/** Notes that each of these lines has a certificate: they are not looked for again. */
export async function settleReplayed(tx: Tx, { run_id, lines }: Replayed): Promise<void> {
  await tx.query(
    `insert into destruction_runs_certified (client_id, run_id, lines) values ($1, $2, $3)
     on conflict (client_id, run_id) do update set lines = excluded.lines`,
    [tx.client_id, run_id, lines],
    'certificates_settle',
  )
}
