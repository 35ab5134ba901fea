/** Runs a migration in a separate process, which its test kills at any moment. The sweep processes its payloads. */
import { readConfig } from '../config.ts'
import { carryOutMigration } from '../migrations/engine.ts'
import { openArchive } from '../open-archive.ts'
import { noScanner } from '../ports/scanner/none.ts'

const [client = '', client_id = '', migration_reference = ''] = process.argv.slice(2)
const config = readConfig(process.env)
const archive = await openArchive(config)
const ctx = {
  ...archive,
  config,
  scanner: noScanner,
  jobs: { send: async () => undefined, stop: async () => undefined },
  now: () => Math.floor(Date.now() / 1000),
}
process.stdout.write('begins\n')
await carryOutMigration(
  ctx,
  { client, client_id: Number(client_id), migration_reference },
  new AbortController().signal,
)
process.stdout.write(`${Math.round(process.resourceUsage().maxRSS / 1024)} MiB\n`)
await archive.close()
