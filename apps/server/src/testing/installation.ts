import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServiceName } from '../config.ts'
import { emptyDatabase } from './database.ts'
import { FAST_DATABASE } from './unlimited.ts'
import { type Daemon, reservePort, startDaemon, untilReady, removeFolder } from './daemon.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Server processes of one installation: one empty database, one data folder, started at the same moment. */
export interface Installation {
  connection: string
  dataDir: string
  /** Addresses of the processes that serve requests. */
  urls: string[]
  /** Where each process says how it is. */
  addresses: string[]
  processes: { service: ServiceName; daemon: Daemon }[]
  stop(): Promise<void>
}

export async function startInstallation(services: readonly ServiceName[]): Promise<Installation> {
  const database = await emptyDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-split-'))
  const ports = await Promise.all(services.map(() => reservePort()))
  const addresses = ports.map((port) => `http://127.0.0.1:${port}`)
  const publicUrl = addresses[services.indexOf('api')] ?? ''
  const processes = services.map((service, i) => {
    const env = {
      ...process.env,
      PORT: String(ports[i]),
      DATABASE_URL: database.connection,
      CUSTODIA_DATA: dataDir,
      PUBLIC_URL: publicUrl,
      LOG_LEVEL: 'warn',
      STATUS_PORT: String(ports[i]),
      ...FAST_DATABASE,
    }
    return { service, daemon: startDaemon(process.execPath, [MAIN, 'start', `--services=${service}`], env) }
  })
  const urls = addresses.filter((_, i) => services[i] === 'api')
  const stop = async () => {
    for (const { daemon } of processes) await daemon.stop()
    await database.drop()
    await removeFolder(dataDir)
  }
  try {
    await Promise.all(
      processes.map(({ service, daemon }, i) =>
        untilReady(daemon, `the ${service} process`, async () => (await fetch(`${addresses[i]}/health`)).ok),
      ),
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { connection: database.connection, dataDir, urls, processes, addresses, stop }
}
