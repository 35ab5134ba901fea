import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type EmbeddedDatabase, socketFolderName, startEmbedded } from '../ports/database/embedded.ts'
import { migrate } from '../ports/database/migrate.ts'
import { lockHolder, processState } from '../ports/database/owner-lock.ts'
import { openDatabase, type Database } from '../ports/database/pool.ts'
import { stopOrphan } from '../ports/database/postmaster.ts'

const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url))
const PREFIX = 'custodia-test-pg-'
const TEMPLATE_LOCK = 7_260_212

/** Only lost power can hurt a database without fsync, and this one is thrown away anyhow. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // Hundreds of databases live for seconds.
  autovacuum: 'off',
  // Every connection maps the pages that it uses.
  shared_buffers: '48MB',
  max_connections: '200',
}

export interface TestServer {
  /** Connection string, for TEST_DATABASE_URL. */
  url: string
  stop(): Promise<void>
}

/** Starts an empty PostgreSQL in a temporary folder, about a second. One run of all tests shares one. */
export async function startTestServer(): Promise<TestServer> {
  const { server, folder } = await startTemporary()
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startTemporary(): Promise<{ server: EmbeddedDatabase; folder: string }> {
  await sweep()
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  chmodSync(folder, 0o711)
  const server = await startEmbedded({ dataDir: join(folder, 'pg'), log: () => undefined, settings: FAST })
  return { server, folder }
}

/** Stops and removes what killed test runs left; a folder without a lock may be one that is just being made. */
async function sweep(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name)
    const dataDir = join(folder, 'pg')
    if (!existsSync(`${dataDir}.lock`) || lockHolder(`${dataDir}.lock`) !== null) continue
    await stopOrphan(dataDir)
    for (const path of [folder, socketFolderName(dataDir)]) rmSync(path, { recursive: true, force: true })
  }
}

export interface TestDatabase {
  db: Database
  connection: string
  /** Closes `db` and removes the database. */
  drop(): Promise<void>
}

/** What a template holds beyond the migrated tables. */
export interface TemplateFill {
  /** Part of its name: another filling has another. */
  name: string
  /** Fills it and a data folder once per test server. It leaves no connection open. */
  fill(connection: string, dataDir: string): Promise<void>
}

/** Folders of a data folder whose files belong to the database. */
const FOLDERS = ['keys', 'demo']

/**
 * A migrated, otherwise empty database, copied from a template in about 150 ms. It is on the server of
 * TEST_DATABASE_URL, else on a private one that this process starts once and stops when it ends.
 */
export async function testDatabase(filled?: FilledTemplate): Promise<TestDatabase> {
  const { connection, drop } = await copiedDatabase(filled)
  const db = await openDatabase({ connection, appName: 'custodia test', max: 4 })
  return {
    db,
    connection,
    async drop() {
      await db.close()
      await drop()
    },
  }
}

/** A filling, and the data folder for its files. */
interface FilledTemplate {
  filling: TemplateFill
  dataDir: string
}

/** Like `testDatabase`, with no open connections. */
export async function copiedDatabase(filled?: FilledTemplate): Promise<Omit<TestDatabase, 'db'>> {
  const server = await testServerUrl()
  const { name, note } = await getTemplate(server, filled?.filling)
  for (const [path, content] of Object.entries(filled ? (JSON.parse(note) as Record<string, string>) : {})) {
    const file = join(filled?.dataDir ?? '', path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, content, { encoding: 'base64', mode: 0o600 })
  }
  return createDatabase(server, `template ${name} strategy file_copy`)
}

/** A copy of a database as it is now; who is connected to that is cut off, and connects again. */
export async function getCopy(connection: string): Promise<Omit<TestDatabase, 'db'>> {
  const name = new URL(connection).pathname.slice(1)
  await asOwner(connection, async (client) => {
    await client.query(`alter database ${name} allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  })
  try {
    return await createDatabase(connection, `template ${name} strategy file_copy`)
  } finally {
    await asOwner(connection, (client) => client.query(`alter database ${name} allow_connections true`))
  }
}

/** A database without anything in it, as servers find it when they start for the first time. */
export async function emptyDatabase(): Promise<Omit<TestDatabase, 'db'>> {
  return createDatabase(await testServerUrl(), EMPTY)
}

const EMPTY = `template template0 encoding 'UTF8'`

async function createDatabase(server: string, how: string): Promise<Omit<TestDatabase, 'db'>> {
  const name = `custodia_test_${process.pid}_${randomBytes(5).toString('hex')}`
  await asOwner(server, (client) => client.query(`create database ${name} ${how}`))
  return {
    connection: withDatabase(server, name),
    drop: async () =>
      void (await asOwner(server, (client) => client.query(`drop database ${name} with (force)`))),
  }
}

const testServerUrl = async () => process.env.TEST_DATABASE_URL ?? (await privateServer())

let privateUrl: Promise<string> | undefined

function privateServer(): Promise<string> {
  privateUrl ??= startTemporary().then(({ server, folder }) => {
    server.unref()
    process.on('exit', () => {
      if (processState(server.pid) !== null) process.kill(server.pid, 'SIGQUIT')
      const clock = new Int32Array(new SharedArrayBuffer(4))
      for (let i = 0; i < 200 && processState(server.pid) !== null; i++) Atomics.wait(clock, 0, 0, 10)
      for (const path of [folder, server.socketFolder]) rmSync(path, { recursive: true, force: true })
    })
    return server.url
  })
  return privateUrl
}

interface Template {
  name: string
  /** The files of its data folder by path, as JSON; empty without a filling. */
  note: string
}

const templates = new Map<string, Promise<Template>>()

/** The template's name holds a hash of the migrations and of what fills it, so a changed one makes a new template. */
function getTemplate(server: string, filling?: TemplateFill): Promise<Template> {
  const hash = createHash('sha256').update(filling?.name ?? '')
  for (const file of readdirSync(MIGRATIONS).toSorted())
    hash.update(file).update(readFileSync(join(MIGRATIONS, file)))
  const name = `custodia_template_${hash.digest('hex').slice(0, 16)}`
  const known = templates.get(name) ?? makeTemplate(server, name, filling)
  templates.set(name, known)
  return known
}

function makeTemplate(server: string, name: string, filling?: TemplateFill): Promise<Template> {
  return asOwner(server, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    // The note is a comment of the template, so both exist or neither.
    const { rows } = await client.query<{ note: string | null }>(
      `select shobj_description(oid, 'pg_database') as note from pg_database where datname = $1`,
      [name],
    )
    if (rows[0]) return { name, note: rows[0].note ?? '' }
    const draft = `${name}_draft`
    const connection = withDatabase(server, draft)
    await client.query(`drop database if exists ${draft} with (force)`)
    await client.query(`create database ${draft} ${EMPTY}`)
    await migrate({ connection, folder: MIGRATIONS })
    const note = filling ? await filled(filling, connection) : ''
    await client.query(`comment on database ${draft} is ${client.escapeLiteral(note)}`)
    await client.query(`alter database ${draft} rename to ${name}`)
    return { name, note }
  })
}

/** Fills a database; resolves to the files that belong to it, in base64, as JSON. */
async function filled(filling: TemplateFill, connection: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'custodia-filling-'))
  try {
    await filling.fill(connection, dataDir)
    const files: Record<string, string> = {}
    for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name).slice(dataDir.length + 1)
      if (entry.isFile() && FOLDERS.some((folder) => path.startsWith(`${folder}/`)))
        files[path] = await readFile(join(dataDir, path), 'base64')
    }
    return JSON.stringify(files)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A short connection to the maintenance database, where advisory locks of all tests meet. */
export type OwnerClient = pg.Client

/** A connection as the owner, who sees the rows of all tenants; to be ended by the caller. */
export async function connectedOwner(connection: string): Promise<OwnerClient> {
  const client = new pg.Client(connection)
  await client.connect()
  return client
}

async function asOwner<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(withDatabase(server, 'postgres'))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
