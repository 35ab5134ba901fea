import { readConfig } from '../apps/server/src/config.ts'
import type { AppContext } from '../apps/server/src/app-context.ts'
import { connectedOwner } from '../apps/server/src/testing/database.ts'
import { startInProcess } from '../apps/server/src/testing/start-in-process.ts'
import { FAST_DATABASE } from '../apps/server/src/testing/unlimited.ts'
import { type DemoCustomer, startDemoCustomer } from '../scripts/demo-customer.ts'

/** Seconds for open requests when the server stops. */
const DRAIN = 2

export interface DemoServerOptions {
  dataDir: string
  /** Folder of the built portal. */
  portal: string
  /** Connection string of the demo's database. */
  connection: string
  /** Whether the database is a copy with the demo's clients and people. */
  isCopy?: boolean
}

export interface DemoServer {
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
  }
  const customer = await startDemoCustomer(env, [], console.error)
  resources.defer(() => customer.close())
  await updatePorts(connection, customer)
  const config = readConfig({ ...env, ...customer.settings })
  const server = await startInProcess(config, { portalFolder: portal, drain: DRAIN, isSeeded: isCopy })
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
