import type { Database } from '../ports/database/pool.ts'
import type { VerifyReport } from './verify.ts'

/** A stored run: figures for operators, findings for database administrators. */
export interface VerifyRun extends Pick<
  VerifyReport,
  'outcome' | 'started_at' | 'ended_at' | 'checked' | 'found'
> {
  /** Which part of the objects was opened, such as `3 of 7`; null: none. */
  opened_part: string | null
}

/** Findings kept per run. */
const KEPT = 1000

/** Keeps what a run found. */
export async function insertVerifyRun(
  db: Pick<Database, 'globalWrite'>,
  { outcome, started_at, ended_at, checked, found, findings, problem }: VerifyReport,
  opened_part: string | null,
): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query(
      `insert into verify_runs (started_at, ended_at, opened_part, outcome, checked, found, findings, problem)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        started_at,
        ended_at,
        opened_part,
        outcome,
        JSON.stringify(checked),
        JSON.stringify(found),
        JSON.stringify(findings.slice(0, KEPT)),
        problem ?? null,
      ],
    ),
  )
}

/** The newest run, for metrics and health checks; undefined before the first night. */
export async function newestVerifyRun(db: Pick<Database, 'global'>): Promise<VerifyRun | undefined> {
  const { rows } = await db.global((q) =>
    q.query<VerifyRun>(
      'select started_at, ended_at, opened_part, outcome, checked, found from verify_runs order by started_at desc, run_id desc limit 1',
    ),
  )
  return rows[0]
}

/** Epoch seconds since when this installation has clients; undefined while it has none. */
export async function installedAt(db: Pick<Database, 'global'>): Promise<number | undefined> {
  const { rows } = await db.global((q) =>
    q.query<{ at: number | null }>('select min(created_at) as at from clients'),
  )
  return rows[0]?.at ?? undefined
}
