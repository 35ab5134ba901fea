import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationRun } from '@custodia/contract'
import type { House } from '../house.ts'
import { carryOutMigration } from '../migrations/engine.ts'
import { dropFolder } from '../migrations/folder.ts'
import { findRun, listResults } from '../migrations/run-store.ts'
import { startRun } from '../migrations/start.ts'
import { ingestWorld } from './ingest-world.ts'

/** The files that docs/migration.md shows. */
export const EXAMPLE = fileURLToPath(new URL('../../../../docs/migration-example', import.meta.url))

/** An account that moves from its legacy platform, with a drop folder. */
export async function migrationWorld(parts: Partial<Pick<House, 'scanner'>> = {}) {
  const world = await ingestWorld(parts)
  const account = { client: 'acme', client_id: world.accounts.acme.client_id }
  const folder = dropFolder(world.house.config.dataDir, account.client)
  /** Runs are carried out by the tests themselves, everything else as in the world below. */
  const jobs: House['jobs'] = {
    ...world.house.jobs,
    send: async (tx, kind, ...inputs) => {
      if (!kind.name.startsWith('migrations.')) await world.house.jobs.send(tx, kind, ...inputs)
    },
  }
  const house = { ...world.house, jobs }
  return {
    world,
    house,
    account,
    folder,
    sql: world.sql,
    close: () => world.close(),
    async drop(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), content)
      }
    },
    dropExample: () => cp(EXAMPLE, folder, { recursive: true }),
    start: (options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<string> =>
      house.db.write(account.client_id, (tx) =>
        startRun(house, tx, account.client, { now: house.now(), by: 'alice', is_dry_run: false, ...options }),
      ),
    carryOut: (migration_reference: string, signal = new AbortController().signal) =>
      carryOutMigration(house, { ...account, migration_reference }, signal),
    async run(options: { is_dry_run?: boolean; retry_of?: string } = {}): Promise<MigrationRun> {
      const reference = await this.start(options)
      await this.carryOut(reference)
      return this.read(reference)
    },
    async read(reference: string): Promise<MigrationRun> {
      const run = await house.db.read(account.client_id, (q) => findRun(q, reference))
      if (!run) throw new Error('no such run')
      return run
    },
    results: (migration_reference: string) =>
      house.db.read(account.client_id, (q) => listResults(q, { migration_reference }, 0, 1_000_000)),
  }
}
