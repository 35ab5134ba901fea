import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Daemon, startDaemon, untilListening } from './daemon.ts'

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
  const settings = {
    ...process.env,
    DATABASE_URL: '',
    PORT: '0',
    STATUS_PORT: '0',
    CUSTODIA_DATA: dataDir,
    LOG_LEVEL: 'warn',
    DEMO: 'false',
    ...env,
  }
  const daemon = startDaemon(process.execPath, [MAIN, 'start', ...args], settings)
  const stop = async () => {
    await daemon.stop()
    rmSync(settings.CUSTODIA_DATA, { recursive: true, force: true })
  }
  try {
    const url = await untilListening(daemon, 'the server')
    return { url, dataDir: settings.CUSTODIA_DATA, daemon, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
