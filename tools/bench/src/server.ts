import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Access } from '@custodia/domain'
import pg from 'pg'
import { accessIn } from '../../../apps/server/src/access/load.ts'
import { compileRights } from '../../../apps/server/src/access/rights.ts'
import { readSource } from '../../../apps/server/src/access/store.ts'
import { preparedName, type Queryable, Statements } from '../../../apps/server/src/ports/database/lease.ts'
import { reservePort, startDaemon, untilReady } from '../../../apps/server/src/testing/daemon.ts'
import { type Archive, CLIENT, PASSWORD } from './fill.ts'
import { bothSides, fetchBytes, load } from './load.ts'
import type { Options } from './options.ts'
import type { Line } from './report.ts'

/**
 * The floor of the lists: node:http and pg, and nothing else. The environment names the client and the database role, which is that of the
 * application by default. `answer` resolves to the body for an address.
 */
export function serveBare(name: string, answer: (q: Queryable, url: URL) => Promise<string>): void {
  const { PORT, DATABASE_URL, CLIENT_ID, DATABASE_ROLE = 'custodia_app' } = process.env
  const client_id = Number(CLIENT_ID)
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: name })
  pool.on('connect', (client) => {
    void client.query(`set role ${DATABASE_ROLE}; set custodia.client_id = '${client_id}'`)
  })
  createServer(async (request, response) => {
    const client = await pool.connect()
    try {
      const q = new BareConnection(client, client_id)
      const text = await answer(q, new URL(request.url ?? '', 'http://floor'))
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    } catch (error) {
      response.writeHead(500).end(String(error))
    } finally {
      client.release()
    }
  }).listen(Number(PORT), '127.0.0.1')
}

/** A connection of a client without anything around it. */
class BareConnection extends Statements implements Queryable {
  readonly client_id: number
  readonly #client: pg.PoolClient

  constructor(client: pg.PoolClient, client_id: number) {
    super()
    this.#client = client
    this.client_id = client_id
  }

  async query<Row>(text: string, values: readonly unknown[] = [], preparation?: 'unprepared') {
    const name = preparedName(text, values, preparation)
    const statement = { text, values: [...values], ...(name ? { name } : {}) }
    const { rows, rowCount } = await this.#client.query<Row & pg.QueryResultRow>(statement)
    return { rows: rows as Row[], rowCount: rowCount ?? 0 }
  }
}

const known = new Map<string, Promise<Access>>()

/** The access of a person with this role. A floor evaluates it once, because no floor measures rights. */
export function accessOfRole(q: Queryable, role: string): Promise<Access> {
  const access = known.get(role) ?? evaluate(q, role)
  known.set(role, access)
  return access
}

async function evaluate(q: Queryable, role: string): Promise<Access> {
  const rights = compileRights(await readSource(q))
  const access = accessIn(rights, { roles: [role], groups: null, ip: '127.0.0.1' })
  const lanes = new Map<string, ReturnType<Access['lanes']>>()
  return {
    ...access,
    lanes(action) {
      const found = lanes.get(action) ?? access.lanes(action)
      lanes.set(action, found)
      return found
    },
  }
}

interface Stoppable {
  stop(): Promise<void>
}

let isSharing = false
const made = new Map<string, Promise<Stoppable>>()

/** Lets all benches use the same servers, archives and browsers from now on. */
export function shareResources(): void {
  isSharing = true
}

/** Makes a resource that its user stops. A run that shares makes one per name and stops it with `stopShared`. */
export async function shared<T extends Stoppable>(name: string, make: () => Promise<T>): Promise<T> {
  if (!isSharing) return make()
  const making = (made.get(name) as Promise<T> | undefined) ?? make()
  made.set(name, making)
  making.catch(() => made.delete(name))
  return { ...(await making), stop: async () => undefined }
}

/** Stops all resources, the last one first. */
export async function stopShared(): Promise<void> {
  for (const making of [...made.values()].toReversed())
    await (await making).stop().catch((error: unknown) => console.error(error))
}

/** A browser as far as a sign-in needs one: keeps cookies, follows redirects within the portal, sends the form. */
class Visitor {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  constructor(origin: string) {
    this.#origin = origin
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async #send(to: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(to, this.#origin)
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie: this.cookie } })
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      if (/max-age=0(?:;|$)/i.test(header)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }

  /** Signs in and accepts the terms; resolves to the token for the Authorization header. */
  async signIn(client: string, user: string, password: string): Promise<string> {
    const base = `/admin/v1/api/${client}`
    const { url } = (await (await this.#send(`${base}/url`)).json()) as { url: string }
    let response = await this.#send(url)
    for (let hops = 0; hops < 10; hops++) {
      const to = response.headers.get('location')
      if (to?.includes('/sign-in?')) return this.#exchange(base, new URL(to, this.#origin))
      if (to) response = await this.#send(to)
      else {
        const action = / action="([^"]+)"/.exec(await response.text())?.[1] ?? ''
        response = await this.#send(action, { method: 'POST', body: new URLSearchParams({ user, password }) })
      }
    }
    throw new Error('the sign-in does not end')
  }

  async #exchange(base: string, returned: URL): Promise<string> {
    const query = new URLSearchParams({
      code: returned.searchParams.get('code') ?? '',
      state: returned.searchParams.get('state') ?? '',
      redirect_uri: `${this.#origin}/sign-in`,
    })
    const response = await this.#send(`${base}/exchange?${query}`)
    if (!response.ok) throw new Error(`sign-in: ${await response.text()}`)
    return ((await response.json()) as { id_token: string }).id_token
  }
}

export const SERVER: string = fileURLToPath(new URL('../../../apps/server/src/main.ts', import.meta.url))

/** A process that answers HTTP on a port of this machine. */
export interface RunningServer {
  port: number
  pid: number
  stop(): Promise<void>
}

/** Starts the server on the archive, without a worker: its jobs would run during a measurement and deactivate the silent devices. */
export async function startServer(
  { folder, connection }: Archive,
  program = SERVER,
  env: Record<string, string> = {},
): Promise<RunningServer> {
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
export const sharedServer = (...args: Parameters<typeof startServer>): Promise<RunningServer> =>
  shared(`server ${args[1] ?? SERVER}`, () => startServer(...args))

/** Starts a program that listens on PORT, and waits until it answers. Builds to compare with may not know `PORT=0`. */
export async function startProgram(
  program: string,
  env: Record<string, string>,
  more: readonly string[] = [],
): Promise<RunningServer> {
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

/** Signs a person in as a browser does; resolves to the headers of the person's requests, which name the person. */
export async function signIn(
  { port }: RunningServer,
  user: string,
  client = CLIENT,
): Promise<Record<string, string>> {
  const visitor = new Visitor(`http://127.0.0.1:${port}`)
  const token = await visitor.signIn(client, user, PASSWORD)
  return { authorization: `Bearer ${token}`, cookie: visitor.cookie, 'user-agent': user }
}

/** The process and its database connections, by the name under which it opens them. */
export async function getPids(
  { owner }: Archive,
  running: RunningServer,
  application: string,
): Promise<number[]> {
  const { rows } = await owner.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and application_name like $1',
    [`${application}%`],
  )
  return [running.pid, ...rows.map((row) => row.pid)]
}

/** A request of a person, and the request of a bare program that gives the same answer. */
export interface ComparedCase {
  name: string
  person: string
  client?: string
  path: string
  floor: { running: RunningServer; path: string; application: string }
  /** The part of the answer that must be the same. */
  read: (answer: Buffer) => unknown
}

/** Compares requests of a server with those of a bare program, round by round. */
export async function compareCases(
  archive: Archive,
  options: Options,
  say: (step: string) => void,
  ours: RunningServer,
  cases: readonly ComparedCase[],
): Promise<Line[]> {
  const lines: Line[] = cases.map(({ name, person }) => ({ name, note: person, pairs: [] }))
  for (let round = 1; round <= options.rounds; round++) {
    say(`Round ${round} of ${options.rounds} …`)
    for (const [i, { name, person, client, path, floor, read }] of cases.entries()) {
      const headers = await signIn(ours, person, client)
      const target = (running: RunningServer, asked: string, application: string) => ({
        port: running.port,
        path: () => asked,
        headers,
        pids: () => getPids(archive, running, application),
      })
      const [subject, bare] = [
        target(ours, path, 'custodia'),
        target(floor.running, floor.path, floor.application),
      ]
      const answers = [read(await fetchBytes(subject)), read(await fetchBytes(bare))]
      assert.deepEqual(answers[0], answers[1], `both sides must answer the same: ${name}`)
      const run = (side: typeof subject) => load(side, options.clients, options.milliseconds)
      lines[i]?.pairs.push(
        await bothSides(
          round,
          () => run(subject),
          () => run(bare),
        ),
      )
    }
  }
  return lines
}
