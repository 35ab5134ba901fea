import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationRun } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { carryOutMigration } from '../migrations/engine.ts'
import { dropFolder } from '../migrations/folder.ts'
import { findRun, listResults } from '../migrations/run-store.ts'
import { startRun } from '../migrations/start.ts'
import { ingestFixture } from './ingest-fixture.ts'

/** The files that docs/migration.md shows. */
export const EXAMPLE = fileURLToPath(new URL('../../../../docs/migration-example', import.meta.url))

/** An account that moves from its legacy platform, with a drop folder. */
export async function migrationFixture(parts: Partial<Pick<AppContext, 'scanner'>> = {}) {
  const fixture = await ingestFixture(parts)
  const account = { client: 'acme', client_id: fixture.accounts.acme.client_id }
  const folder = dropFolder(fixture.ctx.config.dataDir, account.client)
  /** Runs are carried out by the tests themselves, everything else as in the fixture below. */
  const jobs: AppContext['jobs'] = {
    ...fixture.ctx.jobs,
    send: async (tx, kind, ...inputs) => {
      if (!kind.name.startsWith('migrations.')) await fixture.ctx.jobs.send(tx, kind, ...inputs)
    },
  }
  const ctx = { ...fixture.ctx, jobs }
  return {
    fixture,
    ctx,
    account,
    folder,
    sql: fixture.sql,
    close: () => fixture.close(),
    async drop(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), content)
      }
    },
    dropExample: () => cp(EXAMPLE, folder, { recursive: true }),
    start: (options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<string> =>
      ctx.db.write(account.client_id, (tx) =>
        startRun(ctx, tx, account.client, { now: ctx.now(), by: 'alice', is_dry_run: false, ...options }),
      ),
    carryOut: (migration_reference: string, signal = new AbortController().signal) =>
      carryOutMigration(ctx, { ...account, migration_reference }, signal),
    async run(options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<MigrationRun> {
      const reference = await this.start(options)
      await this.carryOut(reference)
      return this.read(reference)
    },
    async read(reference: string): Promise<MigrationRun> {
      const run = await ctx.db.read(account.client_id, (q) => findRun(q, reference))
      if (!run) throw new Error('no such run')
      return run
    },
    results: (migration_reference: string) =>
      ctx.db.read(account.client_id, (q) => listResults(q, { migration_reference }, 0, 1_000_000)),
  }
}
