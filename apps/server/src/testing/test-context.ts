import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import type { QueryResultRow } from 'pg'
import type { AppContext } from '../app-context.ts'
import { readConfig } from '../config.ts'
import type { ServiceName } from '../environment.ts'
import { AuditLog } from '../http/audit.ts'
import { makeCursors } from '../http/cursor.ts'
import type { Database } from '../ports/database/pool.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { filesystemStore } from '../ports/objects/filesystem.ts'
import { noScanner } from '../ports/scanner/port.ts'
import { type Daemon, removeFolder, reservePort, startDaemon, untilReady } from './daemon.ts'
import { emptyDatabase, type TemplateFill, testDatabase } from './database.ts'

/** Settings without rate limits, for tests that call faster than the limits allow. */
export const UNLIMITED = {
  RATE_PORTAL: 'off',
  RATE_DEVICE: 'off',
  RATE_DEVICE_ITEMS: 'off',
  RATE_DEVICE_REPORTS: 'off',
  RATE_PUBLIC: 'off',
} as const

/** Settings for tests on the fast database of the tests, which only lost power can hurt. */
export const FAST_DATABASE = { DATABASE_UNSAFE: 'true' } as const

/** Queries as the database's owner, across tenants. */
export type Sql = <Row = QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>

export const getSql =
  ({ owner }: Pick<Database, 'owner'>): Sql =>
  async <Row>(text: string, values: unknown[] = []) =>
    (await owner.query(text, values)).rows as Row[]

/** The id of a client, by its name. */
export async function getId(db: Pick<Database, 'owner'>, client: string): Promise<number> {
  const [row] = await getSql(db)<{ client_id: number }>('select client_id from clients where client = $1', [
    client,
  ])
  if (!row) throw new Error(`there is no client ${client}`)
  return row.client_id
}

/** Pages of a list, as many as any test walks. */
const MAX_PAGES = 1000

/** All pages of a list, read one by one. Throws for an endless list. */
export async function paged<Page extends { last_key?: string }>(
  ask: (from: { last_key?: string }) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let from: { last_key?: string } = {}; pages.length < MAX_PAGES;) {
    const page = await ask(from)
    pages.push(page)
    if (page.last_key === undefined) return pages
    from = { last_key: page.last_key }
  }
  throw new Error('the list never ends')
}

/** What fixtures that are no whole server have of a server: a database and a folder of their own, no scanner, no ffmpeg. */
type TestParts = Pick<
  AppContext,
  'config' | 'db' | 'objects' | 'keys' | 'scanner' | 'push' | 'media' | 'audit' | 'cursors' | 'log' | 'now'
>

export interface TestContext {
  context: TestParts
  folder: string
  /** Of the database's owner, for processes of their own. */
  connection: string
  sql: Sql
  /**
   * Advances the clock, which is otherwise fixed, by seconds: a busy machine must not shorten the life of an address.
   */
  advance(seconds: number): void
  close(): Promise<void>
}

/** The base of fixtures that serve only some of the calls. */
export async function testContext(
  settings: Record<string, string> = {},
  filling?: TemplateFill,
): Promise<TestContext> {
  await using made = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'custodia-world-'))
  made.defer(() => rmSync(folder, { recursive: true, force: true }))
  const database = await testDatabase(filling && { filling, dataDir: folder })
  made.defer(() => database.drop())
  const { db } = database
  const keys = localFileKeys({ folder: join(folder, 'keys') })
  let time = Math.floor(Date.now() / 1000)
  const now = () => time
  const upload_secret = await keys.namedSecret('uploads')
  const config = readConfig({ CUSTODIA_DATA: folder, ...UNLIMITED, ...settings })
  const all = made.move()
  return {
    context: {
      config,
      db,
      objects: filesystemStore({
        root: join(folder, 'objects'),
        base_url: 'http://localhost',
        upload_secret,
        now,
      }),
      keys,
      scanner: noScanner,
      push: undefined,
      media: undefined,
      audit: new AuditLog(db),
      cursors: makeCursors(Buffer.alloc(32, 1)),
      log: Fastify({ logger: { level: 'silent' } }).log,
      now,
    },
    folder,
    connection: database.connection,
    sql: getSql(db),
    advance: (seconds) => void (time += seconds),
    close: () => all.disposeAsync(),
  }
}

/** Changes rows as the owner, without the triggers of these tables. */
export async function pastTriggers(sql: Sql, tables: readonly string[], statement: string): Promise<void> {
  for (const table of tables) await sql(`alter table ${table} disable trigger user`)
  await sql(statement)
  for (const table of tables) await sql(`alter table ${table} enable trigger user`)
}

/** Has no account a policy, nor ever had one. */
export const withoutPolicy = (sql: Sql): Promise<void> =>
  pastTriggers(sql, ['retention_policies'], 'delete from retention_policies')

/** Enables or disables dual control of the account acme, as if two people had confirmed it long ago. */
export const ruleOfTwo = (sql: Sql, is_required: boolean): Promise<void> =>
  pastTriggers(
    sql,
    ['dual_control_versions'],
    `insert into dual_control_versions (client_id, version, is_required, at, by, confirmed_by)
     select c.client_id, coalesce((select max(version) from dual_control_versions t where t.client_id = c.client_id), 0) + 1, ${is_required}, 0, 'x', 'y'
     from clients c where client = 'acme'`,
  )

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
    await Promise.all(processes.map(({ daemon }) => daemon.stop()))
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
