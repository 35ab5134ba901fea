/** Processes of the server: what they say when they cannot start, and when they listen. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile, rm, truncate } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../config.ts'
import { assertLedgerThere } from '../destruction/store.ts'
import { getSentence } from '../run-server.ts'
import { signIn } from '../testing/access-fixture.ts'
import { mayMount, reservePort, smallDisk } from '../testing/daemon.ts'
import { emptyDatabase } from '../testing/database.ts'
import { ingestFixture } from '../testing/ingest-fixture.ts'
import { testServer } from '../testing/server.ts'
import { startInProcess } from '../testing/start-in-process.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'custodia-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the server in this process until it fails; resolves to what it tells the operator. */
async function refusal(env: Record<string, string>): Promise<string> {
  const config = readConfig({ CUSTODIA_DATA: join(folder, 'data'), LOG_LEVEL: 'fatal', PORT: '0', ...env })
  const start = async () => {
    const server = await startInProcess(config, { portalFolder: join(folder, 'no-portal') })
    await server.stop()
  }
  return start().then(() => 'it started', getSentence)
}

/** The same in a process of its own, which ends with 1. */
function refusalOfProcess(env: Record<string, string>): string {
  const base = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  }
  // Without V8 threads: Node sometimes hangs at exit because of them (nodejs/node#54918).
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--v8-pool-size=0', MAIN, 'start'], {
    env: { ...base, DEMO: 'false', ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1, stderr)
  assert.doesNotMatch(stderr + stdout, /\n\s+at /, 'no stack')
  return stderr.trim()
}

describe('a server that cannot start', () => {
  it('reports a port in use before it creates or migrates anything', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const taken = String((other.address() as AddressInfo).port)
    const dataDir = join(folder, 'taken')
    const stated = refusalOfProcess({ PORT: taken, CUSTODIA_DATA: dataDir })
    assert.match(
      stated,
      new RegExp(`^The server cannot start: 127\\.0\\.0\\.1:${taken}: another program listens there`),
    )
    assert.deepEqual(readdirSync(dataDir), [])
  })

  it('reports an invalid path of the data folder', async () => {
    writeFileSync(join(folder, 'file'), '')
    const stated = await refusal({ CUSTODIA_DATA: join(folder, 'file', 'data') })
    assert.match(stated, /^The server cannot start: .*file\/data: a part of the path is no folder$/)
  })

  it('reports a read-only data folder', mayMount, async () => {
    const readOnly = mkdtempSync(join(folder, 'read-only-'))
    const unmount = smallDisk(readOnly, 'ro')
    try {
      const stated = await refusal({ CUSTODIA_DATA: readOnly })
      assert.match(stated, /^The server cannot start: .*read-only-.*: its file system is read-only$/)
    } finally {
      unmount()
    }
  })

  it('reports an unreachable or unknown database', async (t) => {
    assert.match(
      await refusal({ DATABASE_URL: `postgres://u@127.0.0.1:${await reservePort()}/d` }),
      /^The server cannot start: 127\.0\.0\.1:\d+: no server listens there$/,
    )
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const wrong = new URL(database.connection)
    wrong.pathname = '/no_such_database'
    assert.match(await refusal({ DATABASE_URL: wrong.href }), /database "no_such_database" does not exist$/)
  })

  it('reports a database with unsafe durability settings', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const stated = await refusal({ DATABASE_URL: database.connection })
    assert.match(
      stated,
      /^The server cannot start: DATABASE_URL: the server runs with fsync = off and full_page_writes = off, so that/,
    )
  })
})

describe('a server with PORT=0', () => {
  it('names the address at which it listens as issuer and in its description; a worker has no description', async (t) => {
    const server = await testServer()
    t.after(() => server.close())
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    const read = async (path: string) => (await fetch(`${server.url}${path}`)).json()
    const { issuer } = (await read('/oidc/.well-known/openid-configuration')) as { issuer: string }
    assert.equal(issuer, `${server.url}/oidc`)
    const { servers } = (await read('/openapi.json')) as { servers: unknown }
    assert.deepEqual(servers, [{ url: server.url }])
    const { api } = await signIn(server.url, 'acme', 'alice')
    assert.equal((await api.readProfile({})).user_reference, 'alice')

    const shared = {
      CUSTODIA_DATA: server.ctx.config.dataDir,
      DATABASE_URL: server.ctx.db.connection,
      LOG_LEVEL: 'fatal',
      PORT: '0',
      STATUS_PORT: '0',
      ...FAST_DATABASE,
    }
    const worker = await startInProcess(readConfig(shared, ['--services=worker']), {
      portalFolder: join(folder, 'no-portal'),
      isSeeded: true,
      hasWorked: true,
    })
    t.after(() => worker.stop())
    assert.equal((await fetch(`${worker.url}/health`)).status, 200)
    assert.equal((await fetch(`${worker.url}/openapi.json`)).status, 404)
  })
})

const fixture = await ingestFixture()
after(() => fixture.close())
// As a line of a client that this database does not have.
const { file, bytes, hash } = await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
await fixture.sql('insert into destruction_files (file, bytes, hash) values ($1, $2, $3)', [
  file,
  bytes,
  hash,
])
const path = join(fixture.ctx.config.dataDir, 'keys', 'destructions', `${file}.ledger`)
await copyFile(path, `${path}.copy`)

describe('the keys folder of a database with clients', () => {
  const whole = () => copyFile(`${path}.copy`, path)
  const isThere = () => assertLedgerThere(fixture.ctx)

  it('is checked for a destruction ledger that is complete or longer', async () => {
    await isThere()
    await truncate(path, 10)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await rm(path)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await whole()
    await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
    await isThere()
  })

  it('prevents the server from starting while its ledger is incomplete, with an error message', async () => {
    await rm(path)
    const stated = await refusal({
      DATABASE_URL: fixture.connection,
      CUSTODIA_DATA: fixture.ctx.config.dataDir,
      ...FAST_DATABASE,
    })
    assert.match(stated, /The server cannot start: the destruction ledger in the keystore is shorter/)
  })

  it('gets no new keys for clients whose keys are missing', async () => {
    const dataDir = join(folder, 'without-keys')
    const stated = await refusal({
      DATABASE_URL: fixture.connection,
      CUSTODIA_DATA: dataDir,
      ...FAST_DATABASE,
    })
    assert.match(
      stated,
      /without-keys\/keys is empty, but the database has clients whose keys it held; restore it from a backup/,
    )
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), [])
  })
})
