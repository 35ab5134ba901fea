import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { removeFolder } from '../apps/server/src/testing/daemon.ts'
import { connectedOwner, startTestServer } from '../apps/server/src/testing/database.ts'
import { smtpdAvailable, startSmtpd } from '../apps/server/src/testing/smtpd.ts'

const PORTAL = fileURLToPath(new URL('../apps/web/dist', import.meta.url))
const FILL = fileURLToPath(new URL('fill-snapshot.ts', import.meta.url))
const DATABASE = 'journey_snapshot'

/** The filled demo that each journey file copies. */
export interface Snapshot {
  /** Connection string of the PostgreSQL server. */
  server: string
  database: string
  dataDir: string
  /** Copy of the built portal, so that a parallel build does not affect it. */
  portal: string
  /** File of sent mails, one JSON object per line; undefined without a mail server on this machine. */
  mails: string | undefined
  /** Environment variables of the mail server's address. */
  settings: Record<string, string>
}

export interface DemoCopy {
  url: string
  dataDir: string
  connection: string
}

/** Connection string of another database on the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Starts PostgreSQL and a mail server, fills the demo through the device protocol, and stops its server. */
export async function makeSnapshot(): Promise<Snapshot & AsyncDisposable> {
  await using resources = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'custodia-snapshot-'))
  resources.defer(() => removeFolder(folder))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir, { mode: 0o700 })
  const portal = join(folder, 'portal')
  if (!existsSync(PORTAL)) throw new Error('the portal is not built; run: node scripts/build-portal.ts')
  await cp(PORTAL, portal, { recursive: true })
  const database = await startTestServer()
  resources.defer(() => database.stop())
  const mails = smtpdAvailable() ? join(folder, 'mails.ndjson') : undefined
  const mailServer = mails
    ? await startSmtpd(undefined, (line) => appendFileSync(mails, `${line}\n`))
    : undefined
  if (mailServer) resources.defer(() => mailServer.stop())
  const settings: Record<string, string> = mailServer
    ? { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=never`, SMTP_FROM: 'custodia@bank.example' }
    : {}
  const owner = await connectedOwner(databaseUrl(database.url, 'postgres'))
  await owner
    .query(`create database ${DATABASE} template template0 encoding 'UTF8'`)
    .finally(() => owner.end())
  const connection = databaseUrl(database.url, DATABASE)
  await fill({ ...settings, DEMO_SERVER: JSON.stringify({ dataDir, portal, connection }) })
  const all = resources.move()
  return {
    server: database.url,
    database: DATABASE,
    dataDir,
    portal,
    mails,
    settings,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function fill(env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [FILL], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (data: Buffer) => (output = (output + data.toString()).slice(-4000)))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`the demo was not filled: ${output}`)
}
