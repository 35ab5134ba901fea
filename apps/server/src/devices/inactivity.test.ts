import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageOf, demoPhone, recordingOf } from '../testing/phones.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { idOf } from '../testing/test-context.ts'
import { deactivateInactive, deactivateInactiveOf } from './inactivity.ts'
import { deactivateSilent } from './inactivity-store.ts'

const DAY = 86_400
const DAYS = 30

describe('inactive devices', () => {
  let server: TestServer
  let acme: { client_id: number; client: string }
  const signal = new AbortController().signal
  before(async () => {
    server = await testServer()
    acme = { client_id: await idOf(server.ctx.db, 'acme'), client: 'acme' }
  })
  after(() => server?.close())

  const open = (name: string) => demoPhone(server.ctx.config.dataDir, server.url, name)
  const activate = async (name: string) => (await (await open(name)).authenticate()).device_reference
  /** Makes the device silent for so long in database time. */
  const silence = (device_reference: string, seconds: number) =>
    server.sql(
      `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
      [device_reference, seconds],
    )
  const stateOf = async (device_reference: string) => {
    const [row] = await server.sql<{ is_deactivated: boolean; updated_by: string }>(
      'select is_deactivated, updated_by from devices where device_reference = $1',
      [device_reference],
    )
    return row
  }
  const entries = () =>
    server.sql<{ device_reference: string; device_user_reference: string; parameters: string }>(
      `select device_reference, device_user_reference, parameters from device_activities where action = 'inactivity' order by log_id`,
    )

  it('are deactivated right after the inactivity period, not a second earlier', async () => {
    const reference = await activate('Harriet')
    const atSilence = (seconds: number) =>
      server.ctx.db.write(acme.client_id, async (tx) => {
        await tx.query(
          `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
          [reference, seconds],
        )
        return deactivateSilent(tx, { silent_for: DAYS * DAY, after: 0, most: 10 })
      })
    assert.deepEqual(await atSilence(DAYS * DAY), [])
    const [silenced] = await atSilence(DAYS * DAY + 1)
    assert.equal(silenced?.device_reference, reference)
    assert.deepEqual(await stateOf(reference), { is_deactivated: true, updated_by: 'inactivity' })
    const tokens = await server.sql(
      'select from device_tokens join devices using (client_id, device_id) where device_reference = $1',
      [reference],
    )
    assert.equal(tokens.length, 0)
    assert.equal(await activate('Harriet'), reference)
    assert.equal((await stateOf(reference))?.is_deactivated, false, 'a new authentication reactivates it')
  })

  it('are recorded in the audit log in batches, also after an interrupted run', async () => {
    const references: string[] = []
    for (const name of ['Harriet', 'Imran', 'Molly', 'João', 'Beatriz']) references.push(await activate(name))
    for (const reference of references) await silence(reference, DAYS * DAY + 60)
    const controller = new AbortController()
    const { db, audit, config } = server.ctx
    let batches = 0
    const counted = {
      audit,
      config,
      db: new Proxy(db, {
        get: (target, key) => {
          if (key !== 'write') return Reflect.get(target, key) as unknown
          return (...args: Parameters<typeof db.write>) =>
            target.write(...args).finally(() => ++batches === 1 && controller.abort())
        },
      }),
    }
    await assert.rejects(deactivateInactiveOf(counted, acme, controller.signal, 2))
    assert.equal((await entries()).length, 2)
    await deactivateInactiveOf(server.ctx, acme, signal, 2)
    const result = await entries()
    assert.deepEqual(result.map((each) => each.device_reference).toSorted(), references.toSorted())
    assert.ok(result.every((each) => each.device_user_reference !== null))
    assert.deepEqual(JSON.parse(result[0]?.parameters ?? ''), {
      body: { device_reference: result[0]?.device_reference, days: DAYS },
    })
    await deactivateInactive.run(server.ctx, {}, signal)
    assert.equal((await entries()).length, references.length, 'a second run changes nothing')
  })

  it('exclude devices that still call, were never seen, or are deleted', async () => {
    const phone = await open('Harriet')
    const { device_reference } = await phone.authenticate()
    await silence(device_reference, DAYS * DAY + 60)
    await phone.record(recordingOf('SMS', messageOf('after a month')).recording)
    await phone.sync({ patience: 0 })
    const never = await activate('Imran')
    const deleted = await activate('Molly')
    await server.sql('update devices set last_seen = null, activated_at = null where device_reference = $1', [
      never,
    ])
    await silence(deleted, DAYS * DAY + 60)
    await server.sql('update devices set deleted_at = 1 where device_reference = $1', [deleted])
    const before = await entries()
    await deactivateInactive.run(server.ctx, {}, signal)
    assert.deepEqual(await entries(), before)
    assert.equal((await stateOf(device_reference))?.is_deactivated, false)
  })
})
