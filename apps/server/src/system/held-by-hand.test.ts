import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessFixture, type AccessFixture } from '../testing/access-fixture.ts'
import type { Person } from '../testing/person.ts'
import { storePayload } from '../testing/stored-payload.ts'

describe('users and devices under legal hold', () => {
  let fixture: AccessFixture
  let fleet: Person
  let target: string
  let device_reference: string
  before(async () => {
    fixture = await accessFixture()
    fleet = await fixture.personWith(['Fleet Administrator'])
    target = 'Zoe Held'
    await fixture.alice.api.createDeviceUser({
      params: { device_user_reference: target },
      body: { group: 'North', services: [], email: 'zoe@acme.example', first_name: 'Zoe', surname: 'Held' },
    })
    device_reference = await phone()
    await had(device_reference, null)
  })
  after(() => fixture?.close())

  /** A phone that recorded something. */
  async function phone(): Promise<string> {
    const reference = await storePayload(fixture.server.ctx, { client: 'acme', group: 'North' })
    const [row] = await fixture.sql<{ device_reference: string }>(
      'select device_reference from payloads join devices using (client_id, device_id) where payload_reference = $1',
      [reference],
    )
    return row?.device_reference ?? ''
  }
  /** As if the person had had a phone until then; null: they have it. */
  const had = (reference: string, to: number | null) =>
    fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, $3, u.device_user_id, u.group_id from devices d join device_users u using (client_id)
       where d.device_reference = $1 and u.device_user_reference = $2`,
      [reference, target, to],
    )

  const subject = () => ({ target_type: 'DeviceUser' as const, target })
  const removals = ({ api }: Person) => [
    () => api.deleteDeviceUser({ params: { device_user_reference: target } }),
    () => api.deleteDevice({ params: { device_reference } }),
  ]
  async function staysFor(person: Person, code: string) {
    for (const remove of removals(person)) await assert.rejects(remove(), { code })
    const { is_active } = await person.api.readDeviceUser({ params: { device_user_reference: target } })
    const device = await person.api.readDevice({ params: { device_reference } })
    assert.deepEqual([is_active, device.is_deactivated], [true, false])
  }

  it('cannot be deleted manually, and only users who may see holds learn the reason', async () => {
    await fixture.alice.api.setLegalHold({ params: subject() })
    await staysFor(fixture.alice, 'held')
    await staysFor(fleet, 'wrong_state')
  })

  it('cannot be deleted in the days after the release', async () => {
    await fixture.alice.api.releaseLegalHold({ params: subject(), query: { reason: 'It is over' } })
    await staysFor(fixture.alice, 'held')
  })

  it('include a device that the held user had before', async () => {
    await fixture.alice.api.setLegalHold({ params: subject() })
    const other = await phone()
    await had(other, 2000)
    const params = { device_reference: other }
    await assert.rejects(fixture.alice.api.deleteDevice({ params }), { code: 'held' })
  })

  it('can be deleted manually once the days after the release are over', async () => {
    await fixture.alice.api.releaseLegalHold({ params: subject(), query: { reason: 'It is over' } })
    await fixture.sql(
      `set session_replication_role = replica;
       update legal_hold_events set at = at - 8 * 86400 where target = '${target}';
       update legal_holds set updated_at = updated_at - 8 * 86400 where target = '${target}';
       reset session_replication_role`,
    )
    for (const remove of removals(fixture.alice).reverse()) assert.deepEqual(await remove(), {})
  })
})
