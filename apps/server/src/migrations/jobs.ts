import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { carryOutMigration, giveUpMigration } from './engine.ts'
import { eraseSources } from './erase.ts'
import { CARRY_OUT } from './start.ts'
import { openRuns } from './work-store.ts'

/** Runs a migration. */
export const carryOutRun = jobKind({
  ...CARRY_OUT,
  // The lock of a silent worker outlasts its lease.
  retries: 20,
  run: (ctx, input, signal) => carryOutMigration(ctx, input, signal),
  dead: (ctx, input) => giveUpMigration(ctx, input),
})

/** Erases imported files after their retention. */
export const eraseMigrationFiles = jobKind({
  name: 'migrations.erase',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    for (const account of await listClients(ctx.db)) await eraseSources(ctx, account, signal)
  },
})

/** Resumes runs of killed workers. */
export const resumeMigrations = jobKind({
  name: 'migrations.resume',
  input: z.object({}),
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
