/**
 * Moves files of a legacy platform into an account, beside the running server, whose worker carries the run out (docs/migration.md):
 *
 *     npm run migrate -- --client=<name> [--files=<folder>] [--dry-run | --retry=<migration reference>] [--results=<file.csv>]
 *
 * Files are copied into the drop folder first, where some are given. Ends with 0 when the run is `Migrated`, with 1 when something of it failed,
 * with 2 when it could not be started.
 */
import { cp, mkdir, open } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { clientIdOf } from '../apps/server/src/clients/store.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { dropFolder } from '../apps/server/src/migrations/folder.ts'
import { RESULTS_HEADING, resultLine } from '../apps/server/src/migrations/results-csv.ts'
import { findRun, listResults } from '../apps/server/src/migrations/run-store.ts'
import { startRetry, startRun } from '../apps/server/src/migrations/start.ts'
import { type Archive, openArchive } from '../apps/server/src/open-archive.ts'

const USAGE =
  'npm run migrate -- --client=<name> [--files=<folder>] [--dry-run | --retry=<migration reference>] [--results=<file.csv>]'
const EXIT = { migrated: 0, failed: 1, not_started: 2 } as const
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

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      client: { type: 'string' },
      files: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      retry: { type: 'string' },
      results: { type: 'string' },
    },
  })
  const { client, files, 'dry-run': is_dry_run, retry, results } = values
  if (client === undefined || (is_dry_run && retry !== undefined)) throw new Error(USAGE)
  const config = readConfig(process.env)
  const archive = await openArchive(config)
  try {
    const client_id = await clientIdOf(archive.db, client)
    if (client_id === undefined) throw new Error(`there is no client ${client}`)
    if (files !== undefined) {
      const folder = dropFolder(config.dataDir, client)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await cp(files, folder, { recursive: true })
    }
    // The worker of the server finds runs that nobody carries out.
    const jobs = { send: async () => undefined, stop: async () => undefined }
    const by = `${userInfo().username} (system)`
    const run = { now: Math.floor(Date.now() / 1000), by }
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
      return found.migration_state === 'Migrated' ? EXIT.migrated : EXIT.failed
    }
  } finally {
    await archive.close()
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = EXIT.not_started
  },
)
