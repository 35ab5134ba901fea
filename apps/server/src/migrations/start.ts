import { migration } from '@custodia/domain'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { listClients, lockMigrations } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { newId } from '../http/new-id.ts'
import { Problem } from '../http/problem.ts'
import { jobKind, periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { JobAddress } from '../ports/jobs.ts'
import { carryOutMigration, failMigration } from './engine.ts'
import { dropFolder, isUnchanged, listDropped, removeWhole } from './folder.ts'
import { countFiles, filesToErase, noteErased, runsToErase } from './sign-off-store.ts'
import { findRun, findSettings, MIGRATION } from './store.ts'
import { insertRun, openRuns, staying } from './work-store.ts'

const RunInput = z.object({ client_id: z.int(), client: z.string(), migration_reference: z.string() })

const CARRY_OUT: JobAddress<z.output<typeof RunInput>> = {
  name: 'migrations.carry-out',
  input: RunInput,
  key: ({ migration_reference }) => migration_reference,
  fair: {
    lanes: { migrations: { batch: 1, workers: 3, per_client: 1, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'migrations', cost: 1 }),
    is_swept: true,
  },
}

/** Maximum characters of file names. */
const NAMES_LENGTH = 1000

/** Starts a run over a drop folder, one at a time. Resolves to its reference. Problem: wrong_state. */
export async function startRun(
  { jobs, config }: Pick<AppContext, 'jobs' | 'config'>,
  tx: Tx,
  client: string,
  run: { now: number; by: string; is_dry_run: boolean; retry_of?: string },
): Promise<string> {
  await lockMigrations(tx)
  if ((await openRuns(tx)).length > 0)
    throw new Problem('wrong_state', { detail: 'another run is in progress' })
  const files = (await listDropped(dropFolder(config.dataDir, client))).filter(({ filename }) => {
    const what = migration.migrationFile(filename)
    return what !== 'media' && what !== 'manifest' && what !== 'unknown'
  })
  if (files.length === 0) throw new Problem('wrong_state', { detail: 'no file contains rows' })
  const { disable_onboarding, disable_offboarding, disable_payloads } = await findSettings(tx)
  const migration_reference = newId()
  await insertRun(tx, {
    migration_reference,
    is_dry_run: run.is_dry_run,
    created_at: run.now,
    created_by: run.by,
    filename: files
      .map(({ filename }) => filename)
      .join(', ')
      .slice(0, NAMES_LENGTH),
    switches: { disable_onboarding, disable_offboarding, disable_payloads },
    retry_of: run.retry_of ?? null,
  })
  await jobs.send(tx, CARRY_OUT, { client_id: tx.client_id, client, migration_reference })
  return migration_reference
}

/** Retries the failures of a finished run. Resolves to its reference. Problems: not_found, wrong_state. */
export async function startRetry(
  ctx: Pick<AppContext, 'jobs' | 'config'>,
  tx: Tx,
  client: string,
  { retry_of, ...run }: { now: number; by: string; retry_of: string },
): Promise<string> {
  const found = await findRun(tx, retry_of)
  if (!found) throw new Problem('not_found', { detail: 'no such migration' })
  const { migrated_at, is_dry_run, errors, error_message } = found
  if (migrated_at === null || is_dry_run || (errors === 0 && error_message === null))
    throw new Problem('wrong_state', { detail: 'the run has no failures or has not ended' })
  return startRun(ctx, tx, client, { ...run, is_dry_run: false, retry_of })
}

export const carryOutRun = jobKind({
  ...CARRY_OUT,
  // The lock of a silent worker outlasts its lease.
  retries: 20,
  run: (ctx, input, signal) => carryOutMigration(ctx, input, signal),
  dead: (ctx, input) => failMigration(ctx, input),
})

/** Erases imported files after their retention. */
export const eraseMigrationFiles = periodicJob({
  name: 'migrations.erase',
  every: 3600,
  async run(ctx, _input, signal) {
    for (const account of await listClients(ctx.db)) await eraseSources(ctx, account, signal)
  },
})

/** Resumes runs of killed workers. */
export const resumeMigrations = periodicJob({
  name: 'migrations.resume',
  every: 30,
  async run(ctx, _input, signal) {
    for (const account of await listClients(ctx.db)) {
      signal.throwIfAborted()
      await ctx.db.write(account.client_id, async (tx) => {
        const open = await openRuns(tx)
        const inputs = open.map((migration_reference) => ({ ...account, migration_reference }))
        await ctx.jobs.send(tx, CARRY_OUT, ...inputs)
      })
    }
  },
})

type Parts = Pick<AppContext, 'db' | 'audit' | 'now' | 'config'>

/**
 * Erases the verified, unchanged files of settled runs after the account's retention days. The audit entry commits
 * before the first erasure; an interrupted run resumes.
 */
export async function eraseSources(
  ctx: Parts,
  account: { client_id: number; client: string },
  signal: AbortSignal,
): Promise<void> {
  const { client_id } = account
  for (const reference of await ctx.db.read(client_id, (q) => runsToErase(q, ctx.now()))) {
    signal.throwIfAborted()
    await ctx.db.write(client_id, async (exclusively) => {
      // Blocks uploads and new runs until the end.
      await lockMigrations(exclusively)
      if ((await openRuns(exclusively)).length > 0) return
      await staying(exclusively, (lost) =>
        eraseImported(ctx, account, reference, AbortSignal.any([signal, lost])),
      )
      await noteErased(exclusively, reference, ctx.now())
    })
  }
}

async function eraseImported(
  ctx: Parts,
  account: { client_id: number; client: string },
  migration_reference: string,
  signal: AbortSignal,
): Promise<void> {
  const folder = dropFolder(ctx.config.dataDir, account.client)
  const { all, imported } = await ctx.db.read(account.client_id, async (q) => ({
    all: await countFiles(q, migration_reference),
    imported: await filesToErase(q, migration_reference),
  }))
  const going: string[] = []
  for (const file of imported) {
    signal.throwIfAborted()
    // A replaced file belongs to another run.
    if (await isUnchanged(folder, file)) going.push(file.filename)
  }
  if (going.length === 0) return
  await ctx.db.write(account.client_id, (tx) =>
    ctx.audit.appendWithin(
      tx,
      systemEntry(account, { at: ctx.now(), by: MIGRATION }, 'migrations:erase', {
        migration_reference,
        erased: going.length,
        kept: all - imported.length,
      }),
    ),
  )
  for (const filename of going) await removeWhole(folder, filename)
}
