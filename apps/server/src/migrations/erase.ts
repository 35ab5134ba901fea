import { lockMigrations } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { countFiles, filesToErase, noteErased, runsToErase } from './erase-store.ts'
import { dropFolder, isUnchanged, removeWhole } from './folder.ts'
import { MIGRATION } from './run-store.ts'
import { openRuns, staying } from './work-store.ts'

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
