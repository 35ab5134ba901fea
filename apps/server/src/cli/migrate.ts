import { cp, mkdir, open } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { getClientId } from '../clients/store.ts'
import { readConfig } from '../config.ts'
import { dropFolder, resultLine, RESULTS_HEADING } from '../migrations/folder.ts'
import { startRetry, startRun } from '../migrations/start.ts'
import { findRun, listResults } from '../migrations/store.ts'
import { type Archive, openArchive } from '../open-archive.ts'
import { defineCommand, epochSeconds, exactly, EXIT, required, UsageError } from './command.ts'

/** Exit code of a run of which something failed. */
const FAILED_IN_PART = 3
/** Results that are read at a time, and milliseconds between looks at the run. */
const PAGE = 1000
const PATIENCE = 1000

async function writeResults(
  { db }: Pick<Archive, 'db'>,
  client_id: number,
  migration_reference: string,
  path: string,
): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.write(`${RESULTS_HEADING}\r\n`)
    for (let after = 0; ;) {
      const page = await db.read(client_id, (q) => listResults(q, { migration_reference }, after, PAGE))
      for (const result of page) await file.write(`${resultLine(result)}\r\n`)
      if (page.length < PAGE) return
      after = page.at(-1)?.sequence ?? 0
    }
  } finally {
    await file.close()
  }
}

/** `custodia migrate`: moves files of a legacy platform into an account, which the worker of the running server carries out (docs/migration.md). */
export const migrate = defineCommand({
  usage: `custodia migrate --client=<name> [--files=<folder>] [--dry-run | --retry=<migration reference>] [--results=<file.csv>]

  --files    copied into the drop folder of the client first
  --dry-run  validates the files and imports nothing
  --retry    repeats what failed of an earlier run
  --results  the result of each row, as CSV

Ends with 0 when the run is Migrated, with 3 when something of it failed, with 1 when it could not be started.`,
  options: {
    client: { type: 'string' },
    files: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    retry: { type: 'string' },
    results: { type: 'string' },
  },
  async run({ files, 'dry-run': is_dry_run, retry, results, ...values }, positionals) {
    exactly(0, positionals)
    const client = required(values.client, 'client')
    if (is_dry_run && retry !== undefined) throw new UsageError('--dry-run and --retry exclude each other')
    const config = readConfig(process.env)
    const archive = await openArchive(config)
    try {
      const client_id = await getClientId(archive.db, client)
      if (client_id === undefined) throw new Error(`there is no client ${client}`)
      if (files !== undefined) {
        const folder = dropFolder(config.dataDir, client)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await cp(files, folder, { recursive: true })
      }
      // The worker of the server finds new runs.
      const jobs = { send: async () => undefined, stop: async () => undefined }
      const by = `${userInfo().username} (system)`
      const run = { now: epochSeconds(), by }
      const reference = await archive.db.write(client_id, (tx) =>
        retry === undefined
          ? startRun({ jobs, config }, tx, client, { ...run, is_dry_run })
          : startRetry({ jobs, config }, tx, client, { ...run, retry_of: retry }),
      )
      console.error(`${reference} waits for the worker of the server: half a minute at most`)
      for (;;) {
        const found = await archive.db.read(client_id, (q) => findRun(q, reference))
        if (!found) throw new Error('the run is gone')
        if (found.migrated_at === null) {
          await pause(PATIENCE)
          continue
        }
        if (results !== undefined) await writeResults(archive, client_id, reference, results)
        console.log(JSON.stringify(found, null, 2))
        return found.migration_state === 'Migrated' ? EXIT.done : FAILED_IN_PART
      }
    } finally {
      await archive.close()
    }
  },
})
