/** What whoever starts the server wrongly reads: a sentence, and no stack. */
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
import { freePort } from '../testing/daemon.ts'
import { mainProcess } from '../testing/main-process.ts'
import { mayMount, smallDisk } from '../testing/small-disk.ts'
import { FAST_DATABASE } from '../testing/unlimited.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'custodia-start-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const port = await freePort()

/** Starts the server and waits until it has given up; what it said. */
function refusal(env: Record<string, string>): string {
  const base = {
    PATH: process.env['PATH'] ?? '',
    CUSTODIA_DATA: join(folder, 'data'),
    PORT: String(port),
    DEMO: 'false',
  }
  // Without threads of V8's: Node now and then waits for them for ever when it exits (nodejs/node#54918), having said what is expected here.
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--v8-pool-size=0', MAIN], {
    env: { ...base, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1, stderr)
  assert.doesNotMatch(stderr + stdout, /\n\s+at /, 'no stack')
  return stderr.trim()
}

describe('a server that cannot start', () => {
  it('says so of a port that is taken, before it has made or migrated anything', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const taken = String((other.address() as AddressInfo).port)
    const dataDir = join(folder, 'taken')
    const said = refusal({ PORT: taken, CUSTODIA_DATA: dataDir })
    assert.match(
      said,
      new RegExp(`^The server cannot start: 127\\.0\\.0\\.1:${taken}: another program listens there`),
    )
    assert.deepEqual(readdirSync(dataDir), [])
  })

  it('says so of a data folder that cannot be', () => {
    writeFileSync(join(folder, 'file'), '')
    const said = refusal({ CUSTODIA_DATA: join(folder, 'file', 'data') })
    assert.match(said, /^The server cannot start: .*file\/data: a part of the path is no folder$/)
  })

  it('says so of a data folder that is read-only', mayMount, () => {
    const readOnly = mkdtempSync(join(folder, 'read-only-'))
    const unmount = smallDisk(readOnly, 'ro')
    try {
      const said = refusal({ CUSTODIA_DATA: readOnly })
      assert.match(said, /^The server cannot start: .*read-only-.*: its file system is read-only$/)
    } finally {
      unmount()
    }
  })

  it('says so of a database that is not there, or is another one', async (t) => {
    assert.match(
      refusal({ DATABASE_URL: `postgres://u@127.0.0.1:${await freePort()}/d` }),
      /^The server cannot start: 127\.0\.0\.1:\d+: nobody listens there$/,
    )
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const wrong = new URL(database.connection)
    wrong.pathname = '/no_such_database'
    assert.match(refusal({ DATABASE_URL: wrong.href }), /database "no_such_database" does not exist$/)
  })

  it('says so of a database that may lose what it said was written, unless that was asked for', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const said = refusal({ DATABASE_URL: database.connection })
    assert.match(
      said,
      /^The server cannot start: DATABASE_URL: the server runs with fsync = off and full_page_writes = off, so that/,
    )
  })

  it('never makes new keys for clients whose keys are gone', async (t) => {
    const database = await emptyDatabase()
    t.after(() => database.drop())
    const env = { DATABASE_URL: database.connection, DEMO: 'true', ...FAST_DATABASE }
    await (await mainProcess(env)).stop()
    const dataDir = join(folder, 'without-keys')
    const said = refusal({ ...env, CUSTODIA_DATA: dataDir })
    assert.match(
      said,
      /without-keys\/keys is empty, but the database has clients whose keys it held; restore it from a backup/,
    )
    assert.deepEqual(readdirSync(join(dataDir, 'keys')), [])
  })
})
