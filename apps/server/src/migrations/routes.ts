import { lockMigrations } from '../clients/store.ts'
import { MIGRATION_POWERS } from '@custodia/contract'
import { assertPermitted } from '../access/impact.ts'
import { impactOfAnyMove } from '../access/move-impact.ts'
import type { AppContext } from '../app-context.ts'
import { actorOf, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageOf } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { timeRange } from '../http/time-range.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { countResults, countRuns, findRun, listResults, listRuns } from './run-store.ts'
import { startRetry, startRun } from './start.ts'
import { findSettings, saveSettings } from './store.ts'

type Rows =
  | 'readMigrationSettings'
  | 'saveMigrationSettings'
  | 'listMigrations'
  | 'createMigration'
  | 'retryMigration'
  | 'readMigration'
  | 'listMigrationResults'

/** Migration routes. */
export const migrationRoutes = (ctx: Pick<AppContext, 'cursors' | 'jobs' | 'config'>): Handlers<Rows> => ({
  readMigrationSettings: (context) =>
    context.read(async (q) => ({ client: context.caller.client, ...(await findSettings(q)) })),

  saveMigrationSettings: (context, { body }) =>
    context.write(async (tx) => {
      await lockMigrations(tx)
      const { version, erase_after_days } = await findSettings(tx)
      assertUnchanged(context, version)
      await saveSettings(tx, { erase_after_days, ...body }, { now: context.now, by: actorOf(context.caller) })
      return { client: context.caller.client, ...(await findSettings(tx)) }
    }),

  listMigrations: (context, { query }) =>
    context.read(async (q) => {
      const { migration_states, is_dry_run } = query
      const filter = { migration_states, is_dry_run, ...timeRange(query) }
      if (query.type === 'total') return { total: await countRuns(q, filter) }
      return pageOf(
        ctx.cursors,
        { name: 'migrations', client_id: context.caller.client_id, query },
        (from: readonly [string] | undefined, limit) => listRuns(q, filter, from?.[0], limit),
        ({ migration_reference }) => [migration_reference] as const,
      )
    }),

  createMigration: (context, { body: { is_dry_run } }) =>
    context.write(async (tx) => {
      const { client } = context.caller
      const run = { now: context.now, by: actorOf(context.caller), is_dry_run }
      assertMayImport(context)
      const reference = await startRun(ctx, tx, client, run)
      if (!is_dry_run) await assertMovesPermitted(context, tx, reference)
      return runOf(tx, reference)
    }),

  retryMigration: (context, { params: { migration_reference } }) =>
    context.write(async (tx) => {
      const { client } = context.caller
      const run = { now: context.now, by: actorOf(context.caller), retry_of: migration_reference }
      assertMayImport(context)
      const reference = await startRetry(ctx, tx, client, run)
      await assertMovesPermitted(context, tx, reference)
      return runOf(tx, reference)
    }),

  readMigration: (context, { params: { migration_reference } }) =>
    context.read((q) => runOf(q, migration_reference)),

  listMigrationResults: (context, { params: { migration_reference }, query }) =>
    context.read(async (q) => {
      await runOf(q, migration_reference)
      const { result_types, result_classes, kinds, search } = query
      const filter = { migration_reference, result_types, result_classes, kinds, search }
      if (query.type === 'total') return { total: await countResults(q, filter) }
      return pageOf(
        ctx.cursors,
        { name: `migrations ${migration_reference}`, client_id: context.caller.client_id, query },
        (from: readonly [number] | undefined, limit) => listResults(q, filter, from?.[0] ?? 0, limit),
        ({ sequence }) => [sequence] as const,
      )
    }),
})

/** The caller needs the rights of the rows' calls in every group. Problem: not_permitted. */
function assertMayImport({ caller }: PortalContext): void {
  const lacking = MIGRATION_POWERS.find((action) => !caller.access.allowsGroupless(action))
  if (lacking) throw new Problem('not_permitted', { detail: lacking })
}

/** The moves of a run are unknown before it, so any move counts. Problem: escalation. */
const assertMovesPermitted = (context: PortalContext, tx: Tx, migration_reference: string): Promise<void> =>
  assertPermitted(context, tx, impactOfAnyMove(context.caller), {
    what: { text: 'escalated_by_migration', name: migration_reference },
    confirm_lockout: undefined,
  })

async function runOf(q: Queryable, migration_reference: string) {
  const run = await findRun(q, migration_reference)
  if (!run) throw new Problem('not_found', { detail: 'no such migration' })
  return run
}
