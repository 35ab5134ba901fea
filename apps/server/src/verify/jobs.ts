import type { IntegrityCheck } from '@custodia/contract'
import { notifyProvider } from '../alerts/notify-provider.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { INTEGRITY_CHECK } from '../http/context.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Database } from '../ports/database/pool.ts'
import { contradict } from '../sealed-log/contradictions.ts'
import { verifyArchive, type VerifyReport } from './verify.ts'

/** A stored run: figures for operators, findings for database administrators. */
interface VerifyRun extends Pick<VerifyReport, 'outcome' | 'started_at' | 'ended_at' | 'checked' | 'found'> {
  /** Which part of the objects was opened, such as `3 of 7`; null: none. */
  opened_part: string | null
}

/** Findings kept per run. */
const KEPT = 1000

/** Keeps what a run found. */
async function insertVerifyRun(
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

/** What a run says to a client: its own findings, and those of the whole installation. */
export function runOfClient(
  { outcome, checked, found }: Pick<VerifyRun, 'outcome' | 'checked' | 'found'>,
  client: string,
): Pick<IntegrityCheck, 'outcome' | 'opened' | 'findings'> {
  const findings = found.filter((each) => each.client === client || each.client === null)
  return {
    outcome: outcome === 'findings' && findings.length === 0 ? 'clean' : outcome,
    opened: checked.opened_of?.[client] ?? 0,
    findings: findings.map(({ check, count }) => ({ check, count })),
  }
}

/** The newest run, for metrics and health checks; undefined before the first night. */
export async function newestVerifyRun(db: Pick<Database, 'global'>): Promise<VerifyRun | undefined> {
  const [newest] = await listVerifyRuns(db, 1)
  return newest
}

/** The newest runs, for the page of a client. */
export async function listVerifyRuns(db: Pick<Database, 'global'>, limit: number): Promise<VerifyRun[]> {
  const { rows } = await db.global((q) =>
    q.query<VerifyRun>(
      'select started_at, ended_at, opened_part, outcome, checked, found from verify_runs order by started_at desc, run_id desc limit $1',
      [limit],
    ),
  )
  return rows
}

/** Epoch seconds since when this installation has clients; undefined while it has none. */
async function installedAt(db: Pick<Database, 'global'>): Promise<number | undefined> {
  const { rows } = await db.global((q) =>
    q.query<{ at: number | null }>('select min(created_at) as at from clients'),
  )
  return rows[0]?.at ?? undefined
}

const DAY = 86_400
/** Second of the day (UTC) from which on the nightly check is due. */
const DUE = 2 * 3600
/** Objects are opened once in so many nights. */
const PARTS = 7

/** Verifies the archive every night, opens a seventh of its objects, stores the result and alerts the provider. */
export const verifyNightly = periodicJob({
  name: 'verify.nightly',
  // Looks whether it is time: a process may start at any hour.
  every: 900,
  retries: 1,
  async run(ctx, _input, signal) {
    if (await isDue(ctx)) await verifyTonight(ctx, signal)
  },
})

/** Once after each 02:00 UTC; a new installation has nothing to verify in its first night. */
async function isDue({ db, now }: Pick<AppContext, 'db' | 'now'>): Promise<boolean> {
  const due = Math.floor((now() - DUE) / DAY) * DAY + DUE
  const last = (await newestVerifyRun(db))?.started_at ?? (await installedAt(db))
  return last !== undefined && last < due
}

/** One run in one thread, so that it barely slows other nightly work. */
export async function verifyTonight(
  ctx: Pick<AppContext, 'audit' | 'config' | 'db' | 'objects' | 'keys' | 'now' | 'log'>,
  signal?: AbortSignal,
): Promise<VerifyReport> {
  const rest = Math.floor(ctx.now() / DAY) % PARTS
  const report = await verifyArchive(ctx, { open: { of: PARTS, rest }, threads: 1, signal })
  // A process that ends leaves the night to another one.
  signal?.throwIfAborted()
  await noteInLogs(ctx, report)
  await insertVerifyRun(ctx.db, report, `${rest + 1} of ${PARTS}`)
  ctx.log.info({ outcome: report.outcome, checked: report.checked }, 'the archive was verified')
  await notify(ctx, report)
  return report
}

/** Writes the result into the audit log of each client, and so into its sealed log: a check cannot be denied later. */
async function noteInLogs(
  { audit, db }: Pick<AppContext, 'audit' | 'db'>,
  report: VerifyReport,
): Promise<void> {
  for (const client of await listClients(db)) {
    const { outcome, opened, findings } = runOfClient(report, client.client)
    const count = findings.reduce((sum, each) => sum + each.count, 0)
    const facts = { outcome, opened, findings: count, checks: findings.map(({ check }) => check) }
    const entry = systemEntry(client, { at: report.ended_at, by: INTEGRITY_CHECK }, 'integrity:check', facts)
    await db.write(client.client_id, (tx) => audit.appendWithin(tx, entry))
  }
}

/** One alert per client with findings, and one for what concerns the installation: names of checks and their number, no payload. */
async function notify(
  ctx: Pick<AppContext, 'db' | 'log' | 'now'>,
  { found, problem }: VerifyReport,
): Promise<void> {
  const ids = new Map((await listClients(ctx.db)).map(({ client, client_id }) => [client, client_id]))
  for (const [client, counts] of Map.groupBy(found, (each) => each.client)) {
    const client_id = client === null ? undefined : ids.get(client)
    const faults = counts.find(({ check }) => check === 'sealed_log_wrong')?.count
    // Another number of faults stops destruction again.
    if (client !== null && client_id !== undefined && faults !== undefined)
      await contradict(ctx, { client_id, client }, [
        { holder: 'nightly check', size: faults, fault: 'faulty' },
      ])
    await notifyProvider(ctx, {
      alert_key: 'archive damaged',
      text: 'archive_damaged',
      values: { found: counts.map(({ check, count }) => `${check} ${count}`).join(', ') },
      alert_severity: 'High',
      ...(client_id === undefined ? {} : { client_id }),
    })
  }
  if (problem !== undefined)
    await notifyProvider(ctx, {
      alert_key: 'archive unverified',
      text: 'archive_unverified',
      values: { reason: problem },
      alert_severity: 'High',
    })
}
