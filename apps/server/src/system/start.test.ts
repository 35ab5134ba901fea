/** A server that cannot start says why in one sentence without a stack; one that starts prints its address. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { emptyDatabase } from '../testing/database.ts'
import { reservePort } from '../testing/daemon.ts'
import { mainProcess } from '../testing/main-process.ts'
import { signIn } from '../testing/access-fixture.ts'
import { mayMount, smallDisk } from '../testing/small-disk.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'custodia-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the server until it fails; returns its output. */
function refusal(env: Record<string, string>): string {
  const base = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    CUSTODIA_DATA: join(folder, 'data'),
    PORT: '0',
    DEMO: 'false',
  }
  // Without V8 threads: Node sometimes hangs at exit because of them (nodejs/node#54918).
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--v8-pool-size=0', MAIN, 'start'], {
    env: { ...base, ...env },
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
    const stated = refusal({ PORT: taken, CUSTODIA_DATA: dataDir })
    assert.match(
      stated,
      new RegExp(`^The server cannot start: 127\\.0\\.0\\.1:${taken}: another program listens there`),
    )
    assert.deepEqual(readdirSync(dataDir), [])
  })

  it('reports an invalid path of the data folder', () => {
    writeFileSync(join(folder, 'file'), '')
    const stated = refusal({ CUSTODIA_DATA: join(folder, 'file', 'data') })
    assert.match(stated, /^The server cannot start: .*file\/data: a part of the path is no folder$/)
  })

  it('reports a read-only data folder', mayMount, () => {
    const readOnly = mkdtempSync(join(folder, 'read-only-'))
    const unmount = smallDisk(readOnly, 'ro')
    try {
      const stated = refusal({ CUSTODIA_DATA: readOnly })
      assert.match(stated, /^The server cannot start: .*read-only-.*: its file system is read-only$/)
    } finally {
      unmount()
    }
  })

  it('reports an unreachable or unknown database', async (t) => {
    assert.match(
      refusal({ DATABASE_URL: `postgres://u@127.0.0.1:${await reservePort()}/d` }),
      /^The server cannot start: 127\.0\.0\.1:\d+: no server listens there$/,
    )
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const wrong = new URL(database.connection)
    wrong.pathname = '/no_such_database'
    assert.match(refusal({ DATABASE_URL: wrong.href }), /database "no_such_database" does not exist$/)
  })

  it('reports a database with unsafe durability settings', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const stated = refusal({ DATABASE_URL: database.connection })
    assert.match(
      stated,
      /^The server cannot start: DATABASE_URL: the server runs with fsync = off and full_page_writes = off, so that/,
    )
  })

  it('creates no new keys for clients whose keys are missing', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const env = { DATABASE_URL: database.connection, DEMO: 'true', ...FAST_DATABASE }
    await (await mainProcess(env)).stop()
    const dataDir = join(folder, 'without-keys')
    const stated = refusal({ ...env, CUSTODIA_DATA: dataDir })
    assert.match(
      stated,
      /without-keys\/keys is empty, but the database has clients whose keys it held; restore it from a backup/,
    )
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), [])
  })
})

describe('a server with PORT=0', () => {
  it('prints the address at which it listens, and names it as issuer and in its description', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const settings = { DATABASE_URL: database.connection, DEMO: 'true', LOG_LEVEL: 'error', ...FAST_DATABASE }
    const server = await mainProcess(settings)
    t.after(() => server.stop())
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
    const read = async (path: string) => (await fetch(`${server.url}${path}`)).json()
    const { issuer } = (await read('/oidc/.well-known/openid-configuration')) as { issuer: string }
    assert.equal(issuer, `${server.url}/oidc`)
    const { servers } = (await read('/openapi.json')) as { servers: unknown }
    assert.deepEqual(servers, [{ url: server.url }])
    const { api } = await signIn(server.url, 'acme', 'alice')
    assert.equal((await api.readProfile({})).user_reference, 'alice')

    const shared = { ...settings, CUSTODIA_DATA: server.dataDir }
    const worker = await mainProcess(shared, ['--services=worker'])
    t.after(() => worker.stop())
    assert.equal((await fetch(`${worker.url}/health`)).status, 200)
    assert.equal((await fetch(`${worker.url}/openapi.json`)).status, 404)
  })
})
