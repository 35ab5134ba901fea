import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import { demoPhone, messageOf, recordingOf } from '../testing/phones.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture({}, { hasWorker: true })
})
after(() => fixture?.close())

const phone = (name: string) => demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name)
const limit = (service: string, count: number) =>
  fixture.sql(
    `update client_licenses set limits = limits || jsonb_build_object($1::text, $2::int)
     where client_id = (select client_id from clients where client = 'acme')`,
    [service, count],
  )
const used = async (service: 'calls' | 'sms') =>
  (await fixture.alice.api.readLicenses({ query: {} })).used[service]
const shortages = async () =>
  (
    await fixture.sql<{ message: string }>(
      `select o->>'message' as message from alerts, jsonb_array_elements(occurrences) o where alert_text->>'code' = 'licenses_short'`,
    )
  ).map(({ message }) => message)

describe('licences at device activation', () => {
  it('exclude a service over its limit for the newly activated device only, and raise an alert', async () => {
    await limit('calls', 1)
    const harriet = await phone('Harriet')
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'))
    const imran = await phone('Imran')
    const { enabled_services, device_reference } = await imran.authenticate()
    assert.deepEqual([enabled_services.includes('calls'), enabled_services.includes('sms')], [false, true])
    const device = await fixture.alice.api.readDevice({ params: { device_reference }, query: {} })
    assert.deepEqual(device.unlicensed_services, ['calls'])
    assert.deepEqual([await used('calls'), await used('sms')], [1, 2])
    const [result, ...more] = await shortages()
    assert.ok(result?.includes(device_reference) && result.includes('calls') && more.length === 0)
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'), 'an active service stays')
    await imran.authenticate()
    assert.equal((await shortages()).length, 1, 'an unchanged shortage raises no new alert')
  })

  it('keep services of active devices and add missing services when licences are available', async () => {
    await limit('calls', 0)
    const harriet = await phone('Harriet')
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'))
    await limit('calls', 2)
    const imran = await phone('Imran')
    const { enabled_services, device_reference } = await imran.authenticate()
    assert.ok(enabled_services.includes('calls'))
    const device = await fixture.alice.api.readDevice({ params: { device_reference }, query: {} })
    assert.deepEqual(device.unlicensed_services, [])
    assert.equal(await used('calls'), 2)
  })

  it('are checked again on reactivation and never block an upload', async () => {
    await limit('sms', 0)
    const imran = await phone('Imran')
    const { device_reference } = await imran.authenticate()
    await fixture.alice.api.deactivateDevice({ params: { device_reference }, query: {} })
    assert.equal((await imran.authenticate()).enabled_services.includes('sms'), false)
    const { payload_reference, recording } = recordingOf('SMS', messageOf('Hello'))
    await imran.record(recording)
    await imran.sync()
    const [status] = await imran.status([payload_reference])
    assert.equal(status?.status, 'processed')
    await limit('sms', 100)
  })

  it('never exceed the limit when several devices activate at the same time', async () => {
    await limit('gps', 3)
    await Promise.all(
      ['Molly', 'Oliver', 'Marcus', 'Nadia'].map(async (name) => (await phone(name)).authenticate()),
    )
    const { used: all } = await fixture.alice.api.readLicenses({ query: {} })
    assert.equal(all.gps, 3)
  })
})
