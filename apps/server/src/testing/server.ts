import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../config.ts'
import type { AppContext } from '../app-context.ts'
import { copiedDatabase } from './database.ts'
import { removeFolder } from './daemon.ts'
import { demoDatabase } from './demo-database.ts'
import { startInProcess } from './start-in-process.ts'
import { FAST_DATABASE, UNLIMITED } from './unlimited.ts'
import { idOf, type Sql, sqlOf } from './test-context.ts'

const NO_PROGRAM = '/nonexistent/program'

export interface TestServer {
  ctx: AppContext
  app: FastifyInstance
  url: string
  sql: Sql
  /** The id of a client, by its name. */
  idOf(client: string): Promise<number>
  close(): Promise<void>
}

/** Changes of a test to the server that are not settings. */
export interface ServerParts extends Partial<Pick<AppContext, 'now' | 'push'>> {
  /** True: background jobs run in this process, as in production. */
  hasWorker?: boolean
}

/**
 * The whole server with the demo's clients and people, listening on a free port, on a database and a data folder of its
 * own. Responses are checked against the contract as well. `env` adds settings.
 */
export async function testServer(
  env: Record<string, string> = {},
  parts: ServerParts = {},
): Promise<TestServer> {
  await using made = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-test-'))
  made.defer(() => removeFolder(dataDir))
  const isOfOnesOwn = env['DEMO'] === 'false' || env['DATABASE_URL'] !== undefined
  const database = isOfOnesOwn ? await copiedDatabase() : await demoDatabase(dataDir)
  made.defer(() => database.drop())
  const settings = {
    CUSTODIA_DATA: dataDir,
    DATABASE_URL: database.connection,
    LOG_LEVEL: 'fatal',
    ...UNLIMITED,
    ...FAST_DATABASE,
    // Workers convert recordings. To look for the programs takes longer than all the rest of a start.
    ...(parts.hasWorker ? {} : { FFMPEG_PATH: NO_PROGRAM, FFPROBE_PATH: NO_PROGRAM }),
    ...env,
  }
  const { hasWorker = false, ...replaced } = parts
  const { ctx, app, url, stop } = await startInProcess(
    readConfig({ PORT: '0', ...settings }, hasWorker ? [] : ['--services=api']),
    { portalFolder: join(dataDir, 'no-portal'), parts: replaced, strict: true, isSeeded: !isOfOnesOwn },
  )
  made.defer(stop)
  const { db } = ctx
  const all = made.move()
  return {
    ctx,
    app,
    url,
    sql: sqlOf(db),
    idOf: (client) => idOf(db, client),
    close: () => all.disposeAsync(),
  }
}
