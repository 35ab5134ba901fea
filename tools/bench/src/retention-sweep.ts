/** Applies retention to the archive of DATABASE_URL, as a worker does, in a process of its own; prints how many payloads it deleted, in how many seconds, and with how many milliseconds of CPU of its database connections. */
import { readConfig } from '../../../apps/server/src/config.ts'
import { AuditLog } from '../../../apps/server/src/http/audit.ts'
import { openArchive } from '../../../apps/server/src/open-archive.ts'
import { carryOut } from '../../../apps/server/src/retention/engine.ts'
import { CLIENT } from './fill.ts'
import { cpuOfEach, cpuSince } from './load.ts'

const opened = await openArchive(readConfig(process.env))
const client = { client_id: Number(process.env.CLIENT_ID), client: CLIENT }
// Not of all PostgreSQL, in which other benches have databases.
const getPids = async () => {
  const { rows } = await opened.db.owner.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  )
  return rows.map(({ pid }) => pid)
}
const before = cpuOfEach(await getPids())
const started = performance.now()
const { deleted } = await carryOut(
  { db: opened.db, keys: opened.keys, audit: new AuditLog(opened.db) },
  client,
  new AbortController().signal,
)
const seconds = (performance.now() - started) / 1000
console.log(JSON.stringify({ deleted, seconds, cpu: cpuSince(before, await getPids()) }))
await opened.close()
