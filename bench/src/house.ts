import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startEmbedded } from '../../apps/server/src/ports/database/embedded.ts'
import { migrate } from '../../apps/server/src/ports/database/migrate.ts'
import { hashPassword } from '../../apps/server/src/ports/identity/passwords.ts'
import { freePort } from '../../apps/server/src/testing/daemon.ts'
import { addPerson, CLIENT, fill, type Fill } from './fill.ts'
import { Visitor } from './sign-in.ts'

const SERVER = fileURLToPath(new URL('../../apps/server/src/main.ts', import.meta.url))
const MIGRATIONS = fileURLToPath(new URL('../../apps/server/migrations/', import.meta.url))
/** Of everybody whom `addVisitor` adds. */
export const PASSWORD = 'bench-password'
const READY_MS = 60_000

/** An archive of its own in a temporary folder: PostgreSQL, filled, and room for the server's keys and objects. */
export interface Archive {
  folder: string
  connection: string
  owner: pg.Client
  client_id: number
  close(): Promise<void>
}

/** Starts PostgreSQL as installations run it (fsync on), migrates and fills it. */
export async function makeArchive(shape: Fill, say: (step: string) => void): Promise<Archive> {
  const folder = mkdtempSync(join(tmpdir(), 'custodia-bench-'))
  chmodSync(folder, 0o711)
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), log: () => undefined })
  const close = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await migrate({ connection: server.url, folder: MIGRATIONS })
    const owner = new pg.Client(server.url)
    await owner.connect()
    const started = performance.now()
    say(`Filling ${shape.rows} payloads …`)
    const client_id = await fill(owner, shape)
    say(`Filled in ${((performance.now() - started) / 1000).toFixed(0)} s.`)
    return {
      folder,
      connection: server.url,
      owner,
      client_id,
      async close() {
        await owner.end()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Adds somebody who can sign in with `signIn`. */
export async function addVisitor({ owner, client_id }: Archive, user: string, role: string): Promise<void> {
  await addPerson(owner, client_id, user, await hashPassword(PASSWORD), role)
}

/** The provider, with one of its administrators, who can sign in with `signIn` as well. */
export async function addProvider({ owner }: Archive, client: string, user: string): Promise<void> {
  const { rows } = await owner.query<{ client_id: number }>(
    `insert into clients (client, client_name, is_provider, account_key, created_at) values ($1, 'Provider', true, '', 0) returning client_id`,
    [client],
  )
  const client_id = rows[0]?.client_id ?? 0
  await addPerson(owner, client_id, user, await hashPassword(PASSWORD), 'Provider Administrator', client)
}

/** A process that answers HTTP on a port of the own machine. */
export interface Running {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Starts the real server, as `npm start` would, on the archive; of its services only some, where they are named. */
export async function startServer(
  { folder, connection }: Archive,
  program = SERVER,
  env: Record<string, string> = {},
  services: readonly string[] = [],
): Promise<Running> {
  const port = await freePort()
  const all = {
    ...env,
    DATABASE_URL: connection,
    CUSTODIA_DATA: join(folder, 'data'),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    HOST: '127.0.0.1',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    // One visitor asks as fast as the server answers.
    RATE_PORTAL: 'off',
    RATE_PUBLIC: 'off',
  }
  return startProgram(program, port, all, services.length > 0 ? [`--services=${services.join(',')}`] : [])
}

/** Starts a program that listens on PORT, and waits until it answers anything. */
export async function startProgram(
  program: string,
  port: number,
  env: Record<string, string>,
  more: readonly string[] = [],
): Promise<Running> {
  const child = spawn(process.execPath, [program, ...more], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 2, 2],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const deadline = performance.now() + READY_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${program} did not start`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { port, pid: child.pid ?? 0, stop: () => stop(child, ended) }
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    () => true,
    () => false,
  )

/** Signs in as a browser does; resolves to the headers of its calls. */
export async function signIn(
  { port }: Running,
  user: string,
  client = CLIENT,
): Promise<Record<string, string>> {
  const visitor = new Visitor(`http://127.0.0.1:${port}`)
  const token = await visitor.signIn(client, user, PASSWORD)
  return { authorization: `Bearer ${token}`, cookie: visitor.cookie }
}

/** The process and its database connections, by the name under which they are opened. */
export async function pidsOf({ owner }: Archive, running: Running, application: string): Promise<number[]> {
  const { rows } = await owner.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name like $1',
    [`${application}%`],
  )
  return [running.pid, ...rows.map((row) => row.pid)]
}
