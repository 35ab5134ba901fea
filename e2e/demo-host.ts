// Serves copies of the filled demo to one Playwright worker, one at a time. Ends with that worker.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { connectedOwner } from '../apps/server/src/testing/database.ts'
import { startDemoServer } from './demo-server.ts'
import { databaseUrl, type DemoCopy, type Snapshot } from './snapshot.ts'

const run = promisify(execFile)

const snapshot = JSON.parse(process.env['DEMO_SNAPSHOT'] ?? '') as Snapshot
let stop = async () => undefined as void

process.on('message', () => void openNext())
process.on('disconnect', () => void stop().finally(() => process.exit(0)))

async function openNext(): Promise<void> {
  try {
    await stop()
    process.send?.(await openCopy())
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.stack : String(error) })
  }
}

/** Copies database and data folder, and starts a server on them. */
async function openCopy(): Promise<DemoCopy> {
  await using resources = new AsyncDisposableStack()
  const name = `journey_${process.pid}`
  await query(`create database ${name} template ${snapshot.database} strategy file_copy`)
  resources.defer(() => query(`drop database ${name} with (force)`))
  const folder = await mkdtemp(join(tmpdir(), 'custodia-journey-'))
  resources.defer(() => removeFolder(folder))
  const dataDir = join(folder, 'data')
  await run('cp', ['-R', snapshot.dataDir, dataDir])
  // Each worker's copy has these servers: they use free ports.
  for (const file of ['customer-server.json', 'customer-hook.json'])
    await clearPort(join(dataDir, 'demo', file))
  const connection = databaseUrl(snapshot.server, name)
  const server = await startDemoServer({ dataDir, portal: snapshot.portal, connection, isCopy: true })
  resources.defer(() => server.stop())
  const all = resources.move()
  stop = () => {
    stop = async () => undefined
    return all.disposeAsync()
  }
  return { url: server.url, dataDir, connection }
}

async function clearPort(path: string): Promise<void> {
  const settings = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...settings, port: 0 }))
}

async function query(statement: string): Promise<void> {
  const client = await connectedOwner(databaseUrl(snapshot.server, 'postgres'))
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
