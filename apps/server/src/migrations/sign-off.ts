import { fault, type MigrationRun, type MigrationSignOff } from '@custodia/contract'
import { getActor, type Handlers, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { compareFiles, compareTypes, findSample, signRun } from './sign-off-store.ts'
import { findRun } from './store.ts'

/** Routes of the sign-off. */
export const signOffRoutes = (): Handlers<'readMigrationSignOff' | 'signMigration'> => ({
  readMigrationSignOff: (context, { params: { migration_reference } }) =>
    context.read(async (q) => getSignOff(q, context, await runToSign(q, migration_reference))),

  signMigration: (context, { params: { migration_reference }, body: { explanation } }) =>
    context.write(async (tx) => {
      const run = await runToSign(tx, migration_reference)
      if (run.signed_off_at !== null)
        throw new Problem('wrong_state', { detail: 'the run is already accepted' })
      const found = await getSignOff(tx, context, run)
      const unseen = found.sample.filter((each) => !isSeen(each)).length
      if (unseen > 0) throw new Problem('wrong_state', { detail: `${unseen} of the sample are not reviewed` })
      if (getAwaited(found) > 0)
        throw new Problem('wrong_state', {
          detail: `${getAwaited(found)} payloads are still being processed`,
        })
      if (found.differences > 0 && explanation === undefined)
        throw new Problem('invalid_input', {
          faults: [fault('explanation', 'required', { field: 'explanation' })],
        })
      const signed = { now: context.now, by: getActor(context.caller), explanation: explanation ?? null }
      if (!(await signRun(tx, migration_reference, signed)))
        throw new Problem('wrong_state', { detail: 'the run is already accepted' })
      return runToSign(tx, migration_reference)
    }),
})

/** Problems: not_found; wrong_state for a run without imports. */
async function runToSign(q: Queryable, migration_reference: string): Promise<MigrationRun> {
  const run = await findRun(q, migration_reference)
  if (!run) throw new Problem('not_found', { detail: 'no such migration' })
  if (run.is_dry_run || !['Migrated', 'PartialFail'].includes(run.migration_state))
    throw new Problem('wrong_state', { detail: 'the run imported nothing or has not ended' })
  return run
}

async function getSignOff(
  q: Queryable,
  { caller }: PortalContext,
  { migration_reference, errors, retry_of, signed_off_at }: MigrationRun,
): Promise<MigrationSignOff> {
  const files = await compareFiles(q, migration_reference)
  const types = await compareTypes(q, migration_reference)
  const sample = await findSample(q, migration_reference, getActor(caller))
  // A retry skips rows that did not fail.
  const uncounted = files.filter(
    ({ rows, results }) => rows !== null && retry_of === null && rows !== results,
  )
  const differing = types.reduce((sum, each) => sum + each.differing, 0)
  const found = {
    migration_reference,
    files,
    types,
    sample,
    differences: errors + uncounted.length + differing,
  }
  const is_ready = signed_off_at === null && sample.every(isSeen) && getAwaited(found) === 0
  return { ...found, is_ready }
}

const isSeen = ({ is_opened, must_play, is_played }: MigrationSignOff['sample'][number]): boolean =>
  is_opened && (!must_play || is_played)

const getAwaited = ({ types }: Pick<MigrationSignOff, 'types'>): number =>
  types.reduce((sum, { awaited }) => sum + awaited, 0)
