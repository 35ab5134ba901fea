/** Applies retention to the archive of DATABASE_URL, as a worker does, in a process of its own; prints how many payloads it deleted, and in how many seconds. */
import { readConfig } from '../../../apps/server/src/config.ts'
import { AuditLog } from '../../../apps/server/src/http/audit.ts'
import { openArchive } from '../../../apps/server/src/open-archive.ts'
import { carryOut } from '../../../apps/server/src/retention/engine.ts'
import { CLIENT } from './fill.ts'

const opened = await openArchive(readConfig(process.env))
const client = { client_id: Number(process.env.CLIENT_ID), client: CLIENT }
const started = performance.now()
const { deleted } = await carryOut(
  { db: opened.db, keys: opened.keys, audit: new AuditLog(opened.db) },
  client,
  new AbortController().signal,
)
console.log(JSON.stringify({ deleted, seconds: (performance.now() - started) / 1000 }))
await opened.close()
