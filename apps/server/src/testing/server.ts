import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { makeActivityPartitions } from '../activities/jobs.ts'
import type { AppContext } from '../app-context.ts'
import { readConfig } from '../config.ts'
import { createContext } from '../create-context.ts'
import { DEMO_CLIENTS } from '../demo/people.ts'
import { seedDemo } from '../demo/seed.ts'
import type { Feature } from '../features.ts'
import { DEMO_CAST } from '../ports/identity/people.ts'
import { startServer } from '../serve.ts'
import { removeFolder } from './daemon.ts'
import { copiedDatabase, type TemplateFill } from './database.ts'
import { startInProcess } from './start-in-process.ts'
import { FAST_DATABASE, getId, type Sql, getSql, UNLIMITED } from './test-context.ts'

/** The demo's clients. Tests refer to a person by name, so here that is their reference. */
const CLIENTS = DEMO_CLIENTS.map((client) => ({
  ...client,
  people: client.people.map((person) => ({
    ...person,
    device_user_reference: `${person.first_name} ${person.surname}`,
  })),
}))

/**
 * The demo as a server leaves it that has just been started: clients, people, job queue, signing keys, partitions of the logs. Made
 * once for all tests, since the passwords and key pairs alone cost two seconds.
 */
const DEMO: TemplateFill = {
  name: JSON.stringify([
    CLIENTS,
    DEMO_CAST,
    readFileSync(new URL('../demo/seed.ts', import.meta.url), 'utf8'),
  ]),
  async fill(connection, dataDir) {
    await using made = new AsyncDisposableStack()
    const config = readConfig({
      CUSTODIA_DATA: dataDir,
      DATABASE_URL: connection,
      LOG_LEVEL: 'fatal',
      PORT: '0',
      ...FAST_DATABASE,
    })
    const { ctx, queue, close } = await createContext(
      config,
      pino({ level: config.logLevel }),
      () => undefined,
    )
    made.defer(close)
    const server = await startServer(ctx, queue, join(dataDir, 'no-portal'))
    made.defer(() => server.close())
    await seedDemo(ctx, CLIENTS)
    await makeActivityPartitions.run(ctx, {}, new AbortController().signal)
  },
}

const NO_PROGRAM = '/nonexistent/program'

export interface TestServer {
  ctx: AppContext
  app: FastifyInstance
  url: string
  sql: Sql
  getId(client: string): Promise<number>
  close(): Promise<void>
}

/** Changes of a test to the server that are not settings. */
export interface ServerParts extends Partial<Pick<AppContext, 'mail' | 'now' | 'push'>> {
  /** True: background jobs run in this process, as in production. */
  hasWorker?: boolean
  /** False: periodic jobs run at the start, too, which costs more than the start itself. */
  hasWorked?: boolean
  features?: readonly Feature[]
  /** Seconds that a statement may wait; absent: as in production. A test that holds a lock needs more on a busy machine. */
  patience?: number
}

/**
 * The whole server with the demo's clients and people, listening on a free port, on a database and a data folder of its
 * own, without ffmpeg. Responses are checked against the contract as well. `env` adds settings.
 */
export async function testServer(
  env: Record<string, string> = {},
  parts: ServerParts = {},
): Promise<TestServer> {
  await using made = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-test-'))
  made.defer(() => removeFolder(dataDir))
  const isOfOnesOwn = env['DEMO'] === 'false' || env['DATABASE_URL'] !== undefined
  const database = await copiedDatabase(isOfOnesOwn ? undefined : { filling: DEMO, dataDir })
  made.defer(() => database.drop())
  const settings = {
    CUSTODIA_DATA: dataDir,
    DATABASE_URL: database.connection,
    LOG_LEVEL: 'fatal',
    ...UNLIMITED,
    ...FAST_DATABASE,
    // To look for the programs takes longer than all the rest of a start.
    FFMPEG_PATH: NO_PROGRAM,
    FFPROBE_PATH: NO_PROGRAM,
    ...env,
  }
  const { hasWorker = false, hasWorked = true, features, patience, ...replaced } = parts
  const { ctx, app, url, stop } = await startInProcess(
    readConfig({ PORT: '0', ...settings }, hasWorker ? [] : ['--services=api']),
    {
      portalFolder: join(dataDir, 'no-portal'),
      parts: replaced,
      strict: true,
      isSeeded: !isOfOnesOwn,
      hasWorked,
      ...(features && { features }),
      patience,
    },
  )
  made.defer(stop)
  const { db } = ctx
  const all = made.move()
  return {
    ctx,
    app,
    url,
    sql: getSql(db),
    getId: (client) => getId(db, client),
    close: () => all.disposeAsync(),
  }
}
