import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeFolder, reservePort } from '../../apps/server/src/testing/daemon.ts'

/** The server's program of this checkout. */
export const MAIN = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url))
/** Milliseconds until a server must be ready; on a busy machine it has taken more than two minutes. */
const READY_WITHIN_MS = 300_000

/** The real server in a separate process, for kill and restart on the same data folder and port. */
export interface ServerProcess {
  url: string
  /** Of the running process. */
  pid(): number
  start(): Promise<void>
  /** Starts without waiting for readiness. */
  begin(): void
  untilReady(): Promise<void>
  /** SIGKILL; with `database` also to its embedded PostgreSQL, like a machine crash. */
  kill(options: { database: boolean }): Promise<void>
  /** SIGTERM, and waits. */
  stop(): Promise<void>
}

/** `main` is the program, possibly a broken build; `args` its arguments. */
export async function serverProcess(
  env: Record<string, string>,
  dataDir: string,
  { main = MAIN, args = [] as string[] } = {},
): Promise<ServerProcess> {
  const port = await reservePort()
  const url = `http://127.0.0.1:${port}`
  const logFile = `${dataDir}-${port}.log`
  let child: ChildProcess | undefined

  function begin(): void {
    const log = openSync(logFile, 'a')
    child = spawn(process.execPath, [main, 'start', ...args], {
      env: { ...process.env, ...env, ...getSettings(port, dataDir) },
      stdio: ['ignore', log, log],
    })
    closeSync(log)
  }

  async function untilReady(): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await pause(100)) {
      if (child?.exitCode !== null) {
        throw new Error(
          `the server ended with ${child?.exitCode}:\n${readFileSync(logFile, 'utf8').slice(-2000)}`,
        )
      }
      const answer = await fetch(`${url}/health`).catch(() => undefined)
      if (answer?.ok) return
    }
    throw new Error(`the server was not ready within ${READY_WITHIN_MS / 1000} s`)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  return {
    url,
    pid() {
      if (child?.pid === undefined) throw new Error('the server does not run')
      return child.pid
    },
    begin,
    untilReady,
    async start() {
      begin()
      await untilReady()
    },
    async kill({ database }) {
      const postgres = database ? getPostmaster(dataDir) : undefined
      await end('SIGKILL')
      // Pid from the lock file in the test's temporary folder.
      if (postgres !== undefined) process.kill(postgres, 'SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

/** Runs work with a server process and its data folder, in a folder that exists as long as the work. */
export async function withServer<T>(
  env: Record<string, string>,
  work: (server: ServerProcess, dataDir: string, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'custodia-rig-'))
  // The embedded database runs as another user and needs access.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const server = await serverProcess(env, dataDir)
  try {
    await server.start()
    return await work(server, dataDir, folder)
  } finally {
    await server.kill({ database: true })
    await removeFolder(folder)
  }
}

const getSettings = (port: number, dataDir: string) => ({
  PORT: String(port),
  HOST: '127.0.0.1',
  CUSTODIA_DATA: dataDir,
  LOG_LEVEL: 'warn',
  // Devices announce at full speed from one address.
  RATE_DEVICE: 'off',
  RATE_DEVICE_ITEMS: 'off',
  RATE_PUBLIC: 'off',
})

function getPostmaster(dataDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, 0)
    return pid
  } catch {
    return undefined
  }
}
