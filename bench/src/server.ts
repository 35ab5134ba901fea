import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reservePort, startDaemon, untilReady } from '../../apps/server/src/testing/daemon.ts'
import { type Archive, PASSWORD } from './archive.ts'
import { CLIENT } from './fill.ts'
import { shared } from './shared.ts'
import { Visitor } from './sign-in.ts'

export const SERVER: string = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url))

/** A process that answers HTTP on a port of this machine. */
export interface Running {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Starts the server on the archive, without a worker: its jobs would run during a measurement and deactivate the silent devices. */
export async function startServer(
  { folder, connection }: Archive,
  program = SERVER,
  env: Record<string, string> = {},
): Promise<Running> {
  const all = {
    ...env,
    DATABASE_URL: connection,
    CUSTODIA_DATA: join(folder, 'data'),
    HOST: '127.0.0.1',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    // A bench sends requests as fast as the server answers.
    RATE_PORTAL: 'off',
    RATE_PUBLIC: 'off',
  }
  return startProgram(program, all, ['start', '--services=api'])
}

/** The server for an archive that the benches of a tiny run share. */
export const sharedServer = (...args: Parameters<typeof startServer>): Promise<Running> =>
  shared(`server ${args[1] ?? SERVER}`, () => startServer(...args))

/** Starts a program that listens on PORT, and waits until it answers. Builds to compare with may not know `PORT=0`. */
export async function startProgram(
  program: string,
  env: Record<string, string>,
  more: readonly string[] = [],
): Promise<Running> {
  const port = await reservePort()
  const daemon = startDaemon(process.execPath, [program, ...more], {
    ...process.env,
    ...env,
    PORT: String(port),
  })
  await untilReady(daemon, program, () => fetch(`http://127.0.0.1:${port}/health`).then(() => true))
  return {
    port,
    pid: daemon.pid,
    async stop() {
      await daemon.stop()
      if (daemon.output() !== '') console.error(daemon.output().trimEnd())
    },
  }
}

/** Signs a person in as a browser does; resolves to the headers of the person's requests. */
export async function signIn(
  { port }: Running,
  user: string,
  client = CLIENT,
): Promise<Record<string, string>> {
  const visitor = new Visitor(`http://127.0.0.1:${port}`)
  const token = await visitor.signIn(client, user, PASSWORD)
  return { authorization: `Bearer ${token}`, cookie: visitor.cookie }
}

/** The process and its database connections, by the name under which it opens them. */
export async function pidsOf({ owner }: Archive, running: Running, application: string): Promise<number[]> {
  const { rows } = await owner.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and application_name like $1',
    [`${application}%`],
  )
  return [running.pid, ...rows.map((row) => row.pid)]
}
