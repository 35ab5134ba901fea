// Fills the demo that the journeys copy, and ends. Fails unless every payload of it arrived, except the tampered one. Its options come as JSON in DEMO_SERVER.
import { setTimeout as pause } from 'node:timers/promises'
import type { DemoReport } from '@custodia/simulator'
import { STATE_CODES } from '../apps/server/src/payload-records/codes.ts'
import { connectedOwner } from '../apps/server/src/testing/database.ts'
import { seedDemoHistory } from '../scripts/demo-history.ts'
import { fillDemoOnce } from '../scripts/fill-demo.ts'
import { type DemoServerOptions, startDemoServer } from './demo-server.ts'

/** Poll interval of the queue, in milliseconds. */
const POLL = 100
/** Milliseconds for jobs that are still due after the fill. */
const QUIET = 60_000
/** Looks in a row that find no due job: a start sends its first jobs one by one. */
const LOOKS = 5

const options = JSON.parse(process.env['DEMO_SERVER'] ?? '') as DemoServerOptions
let server = await startDemoServer(options)
const report = await fillDemoOnce(server.ctx.config, server.url, console.error)
await seedDemoHistory(server.ctx, server.customer, (step) => {
  throw new Error(step)
})
await finishJobs(options.connection)
// Another start runs the periodic work on the filled demo, once for all copies.
await server.stop()
server = await startDemoServer(options)
await finishJobs(options.connection)
await assertComplete(options.connection, report)
await server.stop()
process.exit(0)

/** Waits until no job is due, so that no copy repeats the work. */
async function finishJobs(connection: string): Promise<void> {
  const client = await connectedOwner(connection)
  try {
    let looks = 0
    for (const started = Date.now(); Date.now() - started < QUIET; await pause(POLL)) {
      const { rows } = await client.query(
        `select (select count(*) from pgboss.job where state in ('created', 'retry', 'active') and start_after <= now())
           + (select count(*) from client_tasks where due_at <= extract(epoch from now())) as due`,
      )
      looks = Number(rows[0]?.due) === 0 ? looks + 1 : 0
      if (looks === LOOKS) return
    }
    console.error('Jobs were still due when the demo was copied.')
  } finally {
    await client.end()
  }
}

/** Throws when a payload did not arrive, or the history lacks data: the demo waits for its workers for a limited time. */
async function assertComplete(connection: string, report: DemoReport | undefined): Promise<void> {
  const client = await connectedOwner(connection)
  try {
    const { rows } = await client.query(
      `select (select count(*) from destruction_certificates) as certificates,
         (select count(*) from migration_runs where migrated_at is not null) as migrations,
         (select count(*) from payloads where state = $1) as failed`,
      [STATE_CODES.Failed],
    )
    const { certificates, migrations, failed } = rows[0] ?? {}
    const { total = 0, processed = 0, refused = 0 } = report ?? {}
    if (total === 0 || processed !== total - 1 || refused !== 1 || Number(failed) !== 1)
      throw new Error(
        `of ${total} payloads, ${processed} were processed, ${refused} refused, and ${failed} failed`,
      )
    if (Number(certificates) < 1 || Number(migrations) < 2)
      throw new Error(`the demo has ${certificates} certificates and ${migrations} migrations`)
  } finally {
    await client.end()
  }
}
