import assert from 'node:assert/strict'
import { copyFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { assertLedgerThere } from '../destruction/store.ts'
import { startDaemon } from '../testing/daemon.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { FAST_DATABASE } from '../testing/test-context.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

describe('an incomplete destruction ledger in the keys folder', () => {
  let fixture: IngestFixture
  let path: string
  before(async () => {
    fixture = await ingestFixture()
    // As a line of a client that this database does not have.
    const { file, bytes, hash } = await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
    await fixture.sql('insert into destruction_files (file, bytes, hash) values ($1, $2, $3)', [
      file,
      bytes,
      hash,
    ])
    path = join(fixture.ctx.config.dataDir, 'keys', 'destructions', `${file}.ledger`)
    await copyFile(path, `${path}.copy`)
  })
  after(() => fixture?.close())
  const whole = () => copyFile(`${path}.copy`, path)
  const isThere = () => assertLedgerThere(fixture.ctx)

  it('is distinguished from a complete or longer ledger', async () => {
    await isThere()
    await truncate(path, 10)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await rm(path)
    await assert.rejects(isThere(), /older copy, or not whole/)
    await whole()
    await fixture.ctx.keys.ledger.append(['{"client":"elsewhere"}'])
    await isThere()
  })

  it('prevents the server from starting, with an error message', async () => {
    await rm(path)
    const server = startDaemon(process.execPath, [MAIN, 'start'], {
      ...process.env,
      DATABASE_URL: fixture.connection,
      CUSTODIA_DATA: fixture.ctx.config.dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      DEMO: 'false',
      ...FAST_DATABASE,
    })
    try {
      for (let waited = 0; server.running() && waited < 600; waited++) await sleep(100)
      assert.equal(server.running(), false)
      assert.match(
        server.output(),
        /The server cannot start: the destruction ledger in the keystore is shorter/,
      )
    } finally {
      await server.stop()
    }
  })
})
