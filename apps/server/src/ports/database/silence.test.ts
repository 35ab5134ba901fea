/** A silent database: its connections neither respond nor end. */
import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyDatabase, testDatabase, type TestDatabase } from '../../testing/database.ts'
import { type SilentProxy, silentProxy } from '../../testing/silent-peers.ts'
import { until } from '../../testing/waits.ts'
import { PATIENCE } from './connect.ts'
import { assertDurable } from './durability.ts'
import type { GlobalQueryable } from './lease.ts'
import { type Database, openDatabase } from './pool.ts'
import { DatabaseProblem } from './problem.ts'

/**
 * Seconds in which every caller must get an error: 10 are required, a busy machine adds some. Waiting for the
 * silent peer takes minutes.
 */
const REPORTED_WITHIN = 10 + 20

const isUnavailable = (error: unknown) => error instanceof DatabaseProblem && error.kind === 'unavailable'
const one = (q: GlobalQueryable) => q.query('select 1')

describe('an unresponsive database', { concurrency: true }, () => {
  let database: TestDatabase
  const endings: (() => Promise<void>)[] = []
  before(async () => {
    database = await testDatabase()
  })
  after(async () => {
    for (const end of endings) await end()
    await database?.drop()
  })

  /** The database behind a proxy that can be silenced. */
  async function silent(): Promise<{ db: Database; proxy: SilentProxy; reports: string[] }> {
    const proxy = await silentProxy(database.connection)
    const reports: string[] = []
    const db = await openDatabase({
      connection: proxy.connection,
      appName: 'silence test',
      max: 4,
      report: (message) => reports.push(message),
    })
    endings.push(async () => {
      await db.close()
      await proxy.stop()
    })
    return { db, proxy, reports }
  }

  /** The caller gets an error in time when the database is silent. */
  async function refusesInTime(work: () => Promise<unknown>): Promise<void> {
    const started = performance.now()
    await assert.rejects(work(), isUnavailable)
    const seconds = (performance.now() - started) / 1000
    assert.ok(seconds < REPORTED_WITHIN, `reported after ${seconds} s`)
  }

  it('delays requests by one timeout only, because the pool replaces idle connections', async () => {
    const { db, proxy, reports } = await silent()
    const held = Promise.withResolvers<void>()
    const four = Array.from({ length: 4 }, () =>
      db.read(1, async (q) => {
        await one(q)
        await held.promise
      }),
    )
    held.resolve()
    await Promise.all(four)
    proxy.hush('existing')
    await Promise.all([refusesInTime(() => db.read(1, one)), refusesInTime(() => db.write(1, one))])
    assert.ok(reports.length > 0)
    // Serial detection of dead connections would take as many timeouts as there are connections.
    await Promise.all(Array.from({ length: 4 }, () => db.read(1, one)))
    await db.write(1, one)
  })

  it('is detected just as soon by work with a long time limit, before its own statement', async () => {
    const { db, proxy } = await silent()
    const patient = db.within(120)
    await Promise.all([patient.read(1, one), patient.global(one)])
    await pause(1500)
    proxy.hush('existing')
    await Promise.all([refusesInTime(() => patient.read(1, one)), refusesInTime(() => patient.global(one))])
    await patient.read(1, one)
  })

  it('is detected in the middle of a transaction', async () => {
    const { db, proxy } = await silent()
    await refusesInTime(() =>
      db.write(1, async (tx) => {
        await one(tx)
        proxy.hush('existing')
        await one(tx)
      }),
    )
    await db.write(1, one)
  })

  it('fails all requests in time while it accepts no connections, and works again afterwards', async () => {
    const { db, proxy } = await silent()
    proxy.hush('all')
    const asking = [
      () => db.read(1, one),
      () => db.write(1, one),
      () => db.global(one),
      () => db.globalWrite(one),
      () => db.acrossClients(one),
    ]
    await Promise.all(asking.map(refusesInTime))
    // A second time: no stale connection blocks later callers.
    await Promise.all(asking.map(refusesInTime))
    proxy.relent()
    for (const ask of asking) await ask()
  })

  it('is detected by a listener, which reconnects and reports possibly missed notifications', async () => {
    const { db, proxy } = await silent()
    const heard: (string | null)[] = []
    await db.listen('silence_news', (payload) => heard.push(payload))
    proxy.hush('existing')
    await until(
      'the listener to come back',
      () => heard.length,
      (count) => count > 0,
    )
    assert.equal(heard[0], null)
    await until('new connections to work', () =>
      db.read(1, one).then(
        () => true,
        () => false,
      ),
    )
    await db.globalWrite((tx) => tx.query(`select pg_notify('silence_news', 'again')`))
    await until('the news', () => heard.slice(1).includes('again'))
  })
})

describe('a statement that takes too long', { concurrency: true }, () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database?.drop())

  it('is cancelled by the database, and the next request succeeds', async () => {
    await assert.rejects(
      database.db.write(1, (tx) => tx.query('select pg_sleep(20)')),
      isUnavailable,
    )
    await database.db.write(1, one)
  })

  it('may run as long as its declared limit, without extending the limit of other requests', async () => {
    const patient = database.db.within(30)
    await Promise.all([
      patient.read(1, (q) => q.query('select pg_sleep(6)')),
      patient.write(1, (tx) => tx.query('select pg_sleep(6)')),
    ])
    const limits = await Promise.all(
      Array.from({ length: 3 }, () =>
        database.db.read(1, (q) =>
          q.query<{ limit: string }>(`select current_setting('statement_timeout') as limit`),
        ),
      ),
    )
    for (const { rows } of limits) assert.equal(rows[0]?.limit, '4500ms')
  })
})

test('waits for a slow database at startup longer than a request would wait', async (t) => {
  const database = await emptyDatabase()
  t.after(() => database.drop())
  const proxy = await silentProxy(database.connection, PATIENCE.connection + 1000)
  t.after(() => proxy.stop())
  const stated: string[] = []
  await assertDurable(proxy.connection, true, (message) => stated.push(message))
  assert.match(stated.join(), /fsync = off/)
})
