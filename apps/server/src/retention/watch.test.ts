import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessWorld, type AccessWorld } from '../testing/access-world.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { watchRetention } from './watch.ts'

const DAY = 86_400

describe('alerts of retention', () => {
  let world: AccessWorld
  let client_id: number
  before(async () => {
    world = await accessWorld()
    client_id = await world.server.idOf('acme')
  })
  after(() => world?.close())

  const look = () => watchRetention.run(world.server.house, {}, new AbortController().signal)
  /** States of the alerts about retention, by what they say. */
  const told = async () => {
    const rows = await world.sql<{ alert_key: string; alert_state: string }>(
      `select alert_key, alert_state from alerts where alert_key like 'retention%' order by alert_key`,
    )
    return rows
  }
  const announcedAt = (payload_reference: string, at: number) =>
    world.sql(
      `begin; set local session_replication_role = replica;
       update payloads set payload_time = ${at}, announced_at = ${at} where payload_reference = '${payload_reference}'; commit`,
    )

  it('tell of what waits for a receipt for more than a week, and no more once it came', async () => {
    const { house } = world.server
    const now = house.now()
    await world.sql(
      `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
       select ${client_id}, max(policy_version) + 1, '${JSON.stringify([
         {
           entity_type: 'Payload',
           payload_type: 'Call',
           retention_timestamp: 'payload_time',
           delete_after_days: 10,
           required_receipts: ['archive'],
           required_transfers: [],
         },
       ])}', '[]', true, 0, 'alice' from retention_policies where client_id = ${client_id}`,
    )
    await look()
    assert.deepEqual(await told(), [])
    const one = await storePayload(house, { client: 'acme', group: 'North' })
    const two = await storePayload(house, { client: 'acme', group: 'North' })
    await announcedAt(one, now - 18 * DAY)
    // Due for three days only.
    await announcedAt(two, now - 13 * DAY)
    await look()
    const [alert, ...others] = await told()
    assert.deepEqual(others, [])
    assert.equal(alert?.alert_key.startsWith('retention_waits'), true)
    assert.equal(alert?.alert_state, 'Triggered')
    await world.sql(
      `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, 'archive', 1, false from payloads where payload_reference = $1`,
      [one],
    )
    await look()
    assert.notEqual((await told())[0]?.alert_state, 'Triggered')
  })

  it('tell of a pass that does not come to its end, unless somebody paused retention', async () => {
    const now = world.server.house.now()
    await world.sql(
      `insert into retention_positions (client_id, service, act, began_at) values (${client_id}, 1, 'delete', ${now - 3 * DAY})
       on conflict (client_id, service, act) do update set began_at = excluded.began_at, ended_at = null`,
    )
    const state = async () =>
      (await told()).find(({ alert_key }) => alert_key.startsWith('retention_behind'))?.alert_state
    await world.sql(
      `insert into retention_pauses (client_id, is_paused, reason, at, by) values (${client_id}, true, 'Inquiry', ${now - 4 * DAY}, 'alice')`,
    )
    await look()
    assert.equal(await state(), undefined)
    await world.sql(`update retention_pauses set is_paused = false`)
    await look()
    assert.equal(await state(), 'Triggered')
    await world.sql(`update retention_positions set ended_at = ${now}`)
    await look()
    assert.notEqual(await state(), 'Triggered')
  })
})
