import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testDatabase, type TestDatabase } from '../../testing/database.ts'
import { waitingPhones } from './jobs.ts'

describe('devices that wait for a command', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database?.drop())
  const notify = (phone: string) =>
    database.db.owner.query(`select pg_notify('device_commands', $1)`, [phone])

  it('are notified of their own commands only, from any process', async () => {
    const waiting = waitingPhones(database.db)
    const [mine, other] = [await waiting.begin('1 7', 3600), await waiting.begin('1 77', 3600)]
    await notify('1 7')
    await mine.over
    let isOver = false
    void other.over.then(() => (isOver = true))
    // This notification arrives after the one for another device.
    await notify('1 8')
    const third = await waiting.begin('1 8', 3600)
    await notify('1 8')
    await third.over
    assert.equal(isOver, false)
    waiting.close()
    await other.over
  })

  it('replace their earlier wait, and its end does not end the later wait', async () => {
    const waiting = waitingPhones(database.db)
    const first = await waiting.begin('1 7', 3600)
    const second = await waiting.begin('1 7', 3600)
    await first.over
    first.end()
    await notify('1 7')
    await second.over
    waiting.close()
  })

  it('end their wait at once when the process closes', async () => {
    const waiting = waitingPhones(database.db)
    waiting.close()
    await (
      await waiting.begin('1 7', 3600)
    ).over
  })
})
