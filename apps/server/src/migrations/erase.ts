import { lockMigrations } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { systemEntry } from '../http/system-entry.ts'
import { countFiles, filesToErase, noteErased, runsToErase } from './erase-store.ts'
import { dropFolder, isUnchanged, removeWhole } from './folder.ts'
import { MIGRATION } from './run-store.ts'
import { openRuns, staying } from './work-store.ts'

type Parts = Pick<AppContext, 'db' | 'audit' | 'now' | 'config'>

/**
 * Erases the files of runs without errors, and of those that one has settled, that have lain for as long as the account says: what such a run imported and verified, as long as it still
 * is what was scanned. The entry in the account's log is there before the first of them goes; whoever is killed in between goes on the next time.
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
      // Nobody brings files, or starts a run over them, until this ends.
      await lockMigrations(exclusively)
      if ((await openRuns(exclusively)).length > 0) return
      await staying(exclusively, (lost) => eraseOf(ctx, account, reference, AbortSignal.any([signal, lost])))
      await noteErased(exclusively, reference, ctx.now())
    })
  }
}

async function eraseOf(
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
    // Another one has taken its place: that is of another run.
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
