import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { DEVICE_SERVICES, type LicenseLimits } from '@custodia/contract'
import { demoPhone } from '../testing/phones.ts'
import { openPerson, type Person } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { forEachService } from './store.ts'

const withStatus = (status: number) => (error: unknown) =>
  error instanceof ApiProblem && error.status === status

describe('licences', () => {
  let server: TestServer
  let dave: Person
  let erin: Person
  let alice: Person
  before(async () => {
    server = await testServer()
    const { dataDir } = server.ctx.config
    for (const name of ['Harriet', 'Imran', 'João', 'Marcus', 'Tom']) {
      const phone = await demoPhone(dataDir, server.url, name)
      await phone.authenticate()
    }
    const of = (email: string) =>
      `(select device_user_id from device_users where email = '${email}@acme.example')`
    // Harriet's device uses all services, Imran's two; João is offboarded, Marcus' device deactivated. One device has
    // no holder and its own service; one was never activated.
    await server.sql(
      `update device_users set services = '{calls,sms}' where email = 'imran.shah@acme.example';
       update device_users set is_active = false where email = 'joao.almeida@acme.example';
       update devices set is_deactivated = true where device_user_id = ${of('marcus.reid')};
       insert into devices (client_id, device_reference, group_id, services, activated_at, updated_at, updated_by)
         select client_id, 'loose', group_id, '{sms,gps}'::text[], 1::bigint, 1, 'test' from account_defaults join clients using (client_id) where client = 'acme'
         union all
         select client_id, 'boxed', group_id, '{sms,gps}'::text[], null, 1, 'test' from account_defaults join clients using (client_id) where client = 'acme'`,
    )
    dave = await openPerson(server, 'admin', 'dave')
    erin = await openPerson(server, 'admin', 'erin')
    alice = await openPerson(server, 'acme', 'alice')
  })
  after(() => server?.close())

  const used: LicenseLimits = { ...forEachService(() => 1), calls: 2, sms: 3, gps: 2 }

  it('are used by activated devices, one for each enabled service', async () => {
    const licenses = await alice.api.readLicenses({})
    assert.deepEqual(
      [licenses.client, licenses.client_name, licenses.limits, licenses.used],
      ['acme', 'Acme Capital', forEachService(() => 100), used],
    )
  })

  it('are listed for all clients except the provider, with paging and search', async () => {
    const page = await dave.api.listLicenses({ query: { limit: 1 } })
    assert.ok('data' in page && page.last_key)
    const next = await dave.api.listLicenses({ query: { limit: 1, last_key: page.last_key } })
    assert.ok('data' in next)
    assert.deepEqual(
      [...page.data, ...next.data].map((each) => [each.client, each.used]),
      [
        ['acme', used],
        ['globex', forEachService(() => 1)],
      ],
    )
    assert.equal(next.last_key, undefined)
    assert.deepEqual(await dave.api.listLicenses({ query: { type: 'total' } }), { total: 2 })
    const found = await dave.api.listLicenses({ query: { search: 'brokers' } })
    assert.ok('data' in found)
    assert.deepEqual(
      found.data.map(({ client }) => client),
      ['globex'],
    )
    await assert.rejects(erin.api.listLicenses({ query: {} }), withStatus(403))
  })

  it('are set per service by provider administrators, and recorded in both audit logs', async () => {
    const limits: LicenseLimits = { ...forEachService(() => 0), calls: 100_000, sms: 7 }
    const params = { client: 'globex' }
    const saved = await dave.api.saveLicenses({ params, body: { limits } })
    assert.deepEqual([saved.limits, saved.updated_by], [limits, 'dave'])
    const listed = await dave.api.listLicenses({ query: { search: 'globex' } })
    assert.ok('data' in listed)
    assert.deepEqual(listed.data, [saved])
    assert.deepEqual(
      (await alice.api.readLicenses({})).limits,
      forEachService(() => 100),
      'not of others',
    )
    const rows = await server.sql(
      `select client, user_reference from portal_activities join clients using (client_id)
       where action = 'internal.licenses:update' and status_code = 200 order by client`,
    )
    assert.deepEqual(rows, [
      { client: 'admin', user_reference: 'dave' },
      { client: 'globex', user_reference: 'dave' },
    ])
    const stale = { if_match: 'older' }
    await assert.rejects(dave.api.saveLicenses({ params, body: { limits } }, stale), withStatus(412))
    const again = { if_match: saved.version }
    const body = { limits: { ...limits, sms: 8 } }
    const both = await Promise.allSettled([1, 2].map(() => dave.api.saveLicenses({ params, body }, again)))
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'one was first')
    await assert.rejects(erin.api.saveLicenses({ params, body: { limits } }), withStatus(403))
    for (const client of ['unknown', 'admin'])
      await assert.rejects(dave.api.saveLicenses({ params: { client }, body: { limits } }), withStatus(404))
  })

  it('are whole numbers from 0 to 100000, one for each service', async () => {
    const put = async (limits: object) => {
      const response = await dave.fetch(`${server.url}/admin/v1/internal/clients/globex/licenses`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${dave.id_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ limits }),
      })
      return response.status
    }
    const all = forEachService(() => 5)
    for (const wrong of [-1, 100_001, 1.5, '5', null]) assert.equal(await put({ ...all, calls: wrong }), 400)
    assert.equal(await put({ ...all, fax: 1 }), 400)
    assert.equal(await put({ calls: 1 }), 400)
    assert.equal(await put(all), 200)
  })

  it('are zero for a client that has no licence record', async () => {
    await server.sql(
      `delete from client_licenses using clients c where c.client_id = client_licenses.client_id and c.client = 'globex'`,
    )
    const page = await dave.api.listLicenses({ query: { search: 'globex' } })
    assert.ok('data' in page)
    assert.deepEqual(
      page.data[0]?.limits,
      forEachService(() => 0),
    )
    assert.deepEqual(Object.keys(page.data[0]?.limits ?? {}).length, DEVICE_SERVICES.length)
    assert.deepEqual([page.data[0]?.updated_at, page.data[0]?.updated_by], [null, null])
  })
})
