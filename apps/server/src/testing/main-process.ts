import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Daemon, freePort, startDaemon, untilReady } from './daemon.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

export interface MainProcess {
  url: string
  dataDir: string
  daemon: Daemon
  /** Ends the process and removes its folder. */
  stop(): Promise<void>
}

/** The server as a process of its own, ready to serve, on a folder of its own and, unless `env` names another, an embedded database; without demo. */
export async function mainProcess(
  env: Record<string, string> = {},
  args: string[] = [],
): Promise<MainProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'custodia-main-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    ...process.env,
    DATABASE_URL: '',
    PORT: String(port),
    STATUS_PORT: String(port),
    CUSTODIA_DATA: dataDir,
    LOG_LEVEL: 'warn',
    DEMO: 'false',
    ...env,
  }
  const daemon = startDaemon(process.execPath, [MAIN, ...args], settings)
  const stop = async () => {
    await daemon.stop()
    rmSync(settings.CUSTODIA_DATA, { recursive: true, force: true })
  }
  try {
    await untilReady(daemon, 'the server', async () => (await fetch(`${url}/health`)).ok)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, dataDir: settings.CUSTODIA_DATA, daemon, stop }
}
