/** What the account key gives without a code: a place in the reserved group, and nothing that a reviewer sees. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import { memoryStore, openPhone } from '@custodia/device-sdk'
import { type AccessFixture, accessFixture, codeOf, openPerson } from '../testing/access-fixture.ts'
import { readAccountKey } from '../testing/account-key.ts'
import { messageOf, recordingOf } from '../testing/phones.ts'
import { until } from '../testing/waits.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture({}, { hasWorker: true })
})
after(() => fixture?.close())

it('a device with the account key and the address of a person becomes theirs only by confirmation', async () => {
  const { alice, server } = fixture
  const bob = await openPerson(server, 'acme', 'bob')
  const device_user_reference = 'new hire'
  const email = 'new.hire@acme.example'
  await alice.api.createDeviceUser({
    params: { device_user_reference },
    query: {},
    body: {
      group: 'North',
      services: ['sms'],
      email,
      first_name: 'New',
      surname: 'Hire',
      expected_device_count: 1,
    },
  })
  const phone = await openPhone({
    enrolment: {
      server_url: server.url,
      account_reference: 'acme',
      account_key: (await readAccountKey(server.ctx, 'acme')).toString('base64'),
    },
    identity: {
      model: 'Pixel',
      os_version: '16',
      app_version: '1',
      serial_number: 'unconfirmed',
      installation_id: 'unconfirmed',
      phone_numbers: ['+447700900199'],
      imeis: ['356938035643809'],
      email,
    },
    store: memoryStore(),
  })
  const { device_reference, enabled_services } = await phone.authenticate()
  const { payload_reference, recording } = recordingOf('SMS', messageOf('hello'))
  await phone.record(recording)
  await phone.sync({ patience: 60 })
  assert.equal((await phone.status([payload_reference]))[0]?.status, 'processed')

  const device = await alice.api.readDevice({ params: { device_reference }, query: {} })
  assert.deepEqual(
    [device.device_user_reference, device.group, device.waiting_reason, device.requested_user_reference],
    [null, RESERVED_GROUP, 'unconfirmed', device_user_reference],
  )
  assert.deepEqual(enabled_services, [])
  const read = () => bob.api.readPayload({ params: { payload_reference }, query: {} })
  assert.equal(await codeOf(read()), 'not_found')
  assert.equal(await codeOf(bob.api.readDevice({ params: { device_reference }, query: {} })), 'not_found')

  await alice.api.confirmDeviceHolder({
    params: { device_reference },
    query: {},
    body: { decision: 'confirm' },
  })
  await until('the reviewer sees the message', () => read().then(Boolean, () => false))
  assert.equal((await read()).device_user_reference, device_user_reference)
})
