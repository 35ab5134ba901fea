import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeFolder, reservePort } from '../apps/server/src/testing/daemon.ts'
import { FILLED } from '../scripts/fill-demo.ts'

const OURS = fileURLToPath(new URL('..', import.meta.url))
/** Maximum seconds until the demo is ready on a busy machine. */
const PATIENCE = 300

export interface RunningServer {
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
