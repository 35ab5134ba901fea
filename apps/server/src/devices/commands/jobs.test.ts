import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CommandInput, DANGEROUS_COMMANDS } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { type AccessFixture, accessFixture, getCode } from '../../testing/access-fixture.ts'
import { type TestDatabase, testDatabase } from '../../testing/database.ts'
import { demoPhone } from '../../testing/phones.ts'
import { until } from '../../testing/waits.ts'
import { waitingDevices } from './jobs.ts'

describe('devices that wait for a command', () => {
  let database: TestDatabase
  before(async () => {
    database = await testDatabase()
  })
  after(() => database?.drop())
  const notify = (phone: string) =>
    database.db.owner.query(`select pg_notify('device_commands', $1)`, [phone])

  it('are notified of their own commands only, from any process', async () => {
    const waiting = waitingDevices(database.db)
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
    const waiting = waitingDevices(database.db)
    const first = await waiting.begin('1 7', 3600)
    const second = await waiting.begin('1 7', 3600)
    await first.over
    first.end()
    await notify('1 7')
    await second.over
    waiting.close()
  })

  it('end their wait at once when the process closes', async () => {
    const waiting = waitingDevices(database.db)
    waiting.close()
    await (
      await waiting.begin('1 7', 3600)
    ).over
  })
})

describe('delivery of commands', () => {
  let fixture: AccessFixture
  let harriet: Phone
  let at: { params: { device_reference: string }; query: object }
  before(async () => {
    fixture = await accessFixture()
    harriet = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
    at = { params: { device_reference: (await harriet.authenticate()).device_reference }, query: {} }
  })
  after(() => fixture?.close())

  const send = (command: CommandInput['command'] = 'sync_data') =>
    fixture.alice.api.sendCommand({ ...at, body: { command, params: {} } as CommandInput })
  const finish = async () => {
    for (const { command_reference } of await harriet.commands())
      await harriet.report(command_reference, 'Completed')
  }
  const waits = (count: number) =>
    until(`${count} phones to wait`, async () => {
      const { body } = await fixture.server.app.inject('/metrics')
      return new RegExp(`^custodia_devices_waiting ${count}$`, 'm').test(body)
    })

  it('stops and ends the wait when the device is blocked', async () => {
    const began = performance.now()
    const waiting = harriet.commands({ wait: 50 })
    await waits(1)
    await fixture.alice.api.blockDevice(at)
    await waits(0)
    assert.deepEqual(await waiting, [])
    assert.ok(performance.now() - began < 40_000, 'before its timeout')
    // A call that was waiting before the block must not receive commands sent after the unblocking.
    await fixture.alice.api.unblockDevice(at)
    await harriet.authenticate()
    await send()
    assert.equal((await harriet.commands()).length, 1)
    await finish()
  })

  it('holds back dangerous commands while the device is in another group', async () => {
    const groups = await fixture.sql<{ group_id: number; group_reference: string }>(
      `select group_id, group_reference from groups where group_reference in ('North', 'South')`,
    )
    const move = (name: string) =>
      fixture.sql('update devices set group_id = $1 where device_reference = $2', [
        groups.find(({ group_reference }) => group_reference === name)?.group_id,
        at.params.device_reference,
      ])
    await send()
    for (const command of DANGEROUS_COMMANDS) await send(command)
    await move('South')
    assert.deepEqual(
      (await harriet.commands()).map(({ command }) => command),
      ['sync_data'],
    )
    await send('allow_power_off')
    assert.deepEqual(
      (await harriet.commands()).map(({ command }) => command),
      ['sync_data', 'allow_power_off'],
    )
    await move('North')
    assert.deepEqual(
      (await harriet.commands()).map(({ command }) => command),
      ['sync_data', ...DANGEROUS_COMMANDS],
    )
    await finish()
  })

  it('rejects a verification SMS where no gateway number is set', async () => {
    assert.equal(await getCode(send('send_verification_sms')), 'invalid_input')
  })
})
