import { lockMigrations } from '../clients/store.ts'
import { migration } from '@custodia/domain'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import { Problem } from '../http/problem.ts'
import type { JobAddress } from '../ports/jobs.ts'
import type { Tx } from '../ports/database/lease.ts'
import { dropFolder, listDropped } from './folder.ts'
import { findSettings } from './store.ts'
import { findRun } from './run-store.ts'
import { insertRun, openRuns } from './work-store.ts'

const RunInput = z.object({ client_id: z.int(), client: z.string(), migration_reference: z.string() })

/** Job that runs a migration. */
export const CARRY_OUT: JobAddress<z.output<typeof RunInput>> = {
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
