import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AppContext } from '../apps/server/src/app-context.ts'
import { readConfig } from '../apps/server/src/config.ts'
import { removeFolder, reservePort } from '../apps/server/src/testing/daemon.ts'
import { connectedOwner } from '../apps/server/src/testing/database.ts'
import { startInProcess } from '../apps/server/src/testing/start-in-process.ts'
import { FAST_DATABASE } from '../apps/server/src/testing/test-context.ts'
import { type DemoCustomer, startDemoCustomer } from '../scripts/demo-customer.ts'
import { FILLED } from '../scripts/fill-demo.ts'
import { STREETS } from './journeys/pmtiles-file.ts'

/** Seconds for open requests when the server stops. */
const DRAIN = 2

export interface DemoServerOptions {
  dataDir: string
  /** Folder of the built portal. */
  portal: string
  /** Connection string of the demo's database. */
  connection: string
  /** Whether the database is a copy of the demo, with its clients and people, whose periodic work has run. */
  isCopy?: boolean
}

interface DemoServer {
  ctx: AppContext
  customer: DemoCustomer
  url: string
  stop(): Promise<void>
}

/** Starts a demo server without ffmpeg and the customer's servers in this process. */
export async function startDemoServer({
  dataDir,
  portal,
  connection,
  isCopy = false,
}: DemoServerOptions): Promise<DemoServer> {
  await using resources = new AsyncDisposableStack()
  const env = {
    ...process.env,
    ...FAST_DATABASE,
    PORT: '0',
    CUSTODIA_DATA: dataDir,
    DATABASE_URL: connection,
    LOG_LEVEL: 'error',
    FFMPEG_PATH: '/nonexistent/ffmpeg',
    MAPS: JSON.stringify({ acme: { pmtiles: STREETS, attribution: '© Streets' } }),
  }
  const customer = await startDemoCustomer(env, [], console.error)
  resources.defer(() => customer.close())
  await updatePorts(connection, customer)
  const config = readConfig({ ...env, ...customer.settings })
  const server = await startInProcess(config, {
    portalFolder: portal,
    drain: DRAIN,
    isSeeded: isCopy,
    hasWorked: isCopy,
  })
  resources.defer(() => server.stop())
  const all = resources.move()
  return { ctx: server.ctx, customer, url: server.url, stop: () => all.disposeAsync() }
}

/** Updates a copied demo with the ports of the customer's servers. */
async function updatePorts(connection: string, { storage, hook }: DemoCustomer): Promise<void> {
  const client = await connectedOwner(connection)
  try {
    const { rows } = await client.query(`select to_regclass('transfer_configs') as name`)
    if (rows[0]?.name === null) return
    await client.query(
      `update transfer_configs set params = params || jsonb_build_object('port', $1::int)
       where params ->> 'server' = $2 and params ->> 'username' = $3`,
      [storage?.port, storage?.host, storage?.username],
    )
    await client.query(`update alert_webhooks set url = $1`, [hook?.url])
  } finally {
    await client.end()
  }
}

const OURS = fileURLToPath(new URL('..', import.meta.url))
/** Maximum seconds until the demo is ready on a busy machine. */
const PATIENCE = 300

interface RunningServer {
  url: string
  dataDir: string
  stop(): Promise<void>
}

/**
 * Starts the system like a new user, by default without ffmpeg, in a folder of its own, and waits until the demo is
 * filled.
 * @param checkout source folder; absent: this one
 */
export async function startServer({ checkout = OURS, hasConverter = false } = {}): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-e2e-'))
  const port = await reservePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [join(checkout, 'scripts/start.ts')], {
    env: {
      ...process.env,
      PORT: String(port),
      CUSTODIA_DATA: dataDir,
      LOG_LEVEL: 'error',
      DATABASE_URL: '',
      ...(hasConverter ? {} : { FFMPEG_PATH: '/nonexistent/ffmpeg' }),
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let stated = ''
  child.stderr.on('data', (text: Buffer) => {
    stated += text.toString()
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for (let waited = 0; !stated.includes(FILLED); waited++) {
    if (child.exitCode !== null) throw new Error(`the server ended:\n${stated}`)
    if (waited > PATIENCE) throw new Error(`the demo was not filled in ${PATIENCE} s:\n${stated}`)
    await pause(1000)
  }
  return {
    url,
    dataDir,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await removeFolder(dataDir)
    },
  }
}
