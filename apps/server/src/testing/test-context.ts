import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { QueryResultRow } from 'pg'
import { readConfig } from '../config.ts'
import type { AppContext } from '../app-context.ts'
import { AuditLog } from '../http/audit.ts'
import { makeCursors } from '../http/cursor.ts'
import type { Database } from '../ports/database/pool.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { filesystemStore } from '../ports/objects/filesystem.ts'
import { noScanner } from '../ports/scanner/none.ts'
import { testDatabase } from './database.ts'
import { UNLIMITED } from './unlimited.ts'

/** Queries as the database's owner, across tenants. */
export type Sql = <Row = QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>

export const sqlOf =
  ({ owner }: Pick<Database, 'owner'>): Sql =>
  async <Row>(text: string, values: unknown[] = []) =>
    (await owner.query(text, values)).rows as Row[]

/** The id of a client, by its name. */
export async function idOf(db: Pick<Database, 'owner'>, client: string): Promise<number> {
  const [row] = await sqlOf(db)<{ client_id: number }>('select client_id from clients where client = $1', [
    client,
  ])
  if (!row) throw new Error(`there is no client ${client}`)
  return row.client_id
}

/** Pages of a list, as many as any test walks. */
const MOST_PAGES = 1000

/** All pages of a list, read one by one. Throws for an endless list. */
export async function paged<Page extends { last_key?: string }>(
  ask: (from: { last_key?: string }) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let from: { last_key?: string } = {}; pages.length < MOST_PAGES;) {
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
export async function testContext(settings: Record<string, string> = {}): Promise<TestContext> {
  await using made = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'custodia-world-'))
  made.defer(() => rmSync(folder, { recursive: true, force: true }))
  const database = await testDatabase()
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
    sql: sqlOf(db),
    advance: (seconds) => void (time += seconds),
    close: () => all.disposeAsync(),
  }
}
