import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { DEVICE_SERVICES, type LicenseLimits } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { type Person, openPerson } from '../testing/access-fixture.ts'
import { demoPhone } from '../testing/phones.ts'
import { seeded } from '../testing/require-part.ts'
import { type TestServer, testServer } from '../testing/server.ts'
import { type TestContext, testContext } from '../testing/test-context.ts'
import { watchLicenses } from './jobs.ts'
import { forEachService, readUse } from './store.ts'

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
    assert.ok(page.last_key)
    const next = await dave.api.listLicenses({ query: { limit: 1, last_key: page.last_key } })
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
    assert.deepEqual(
      found.data.map(({ client }) => client),
      ['globex'],
    )
    await assert.rejects(erin.api.listLicenses({}), withStatus(403))
  })

  it('are set per service by provider administrators, and recorded in both audit logs', async () => {
    const limits: LicenseLimits = { ...forEachService(() => 0), calls: 100_000, sms: 7 }
    const params = { client: 'globex' }
    const saved = await dave.api.saveLicenses({ params, body: { limits } })
    assert.deepEqual([saved.limits, saved.updated_by], [limits, 'dave'])
    const listed = await dave.api.listLicenses({ query: { search: 'globex' } })
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
    assert.deepEqual(
      page.data[0]?.limits,
      forEachService(() => 0),
    )
    assert.deepEqual(Object.keys(page.data[0]?.limits ?? {}).length, DEVICE_SERVICES.length)
    assert.deepEqual([page.data[0]?.updated_at, page.data[0]?.updated_by], [null, null])
  })
})

describe('licence warnings', () => {
  let server: TestServer
  before(async () => {
    server = await testServer()
  })
  after(() => server?.close())

  const phone = (name: string) => demoPhone(server.ctx.config.dataDir, server.url, name)
  const limit = async (calls: number) => {
    const dave = await openPerson(server, 'admin', 'dave')
    await dave.api.saveLicenses({
      params: { client: 'acme' },
      body: { limits: { ...forEachService(() => 1000), calls } },
    })
  }
  /** Alerts on Acme's licences: recipient, subject, count. */
  async function readState(): Promise<string[]> {
    const run = () => watchLicenses.run(server.ctx, {}, new AbortController().signal)
    await Promise.all([run(), run()])
    const rows = await server.sql<{ stated: string }>(
      `select concat_ws(' ', alert_target, alert_severity, alert_text->>'code', alert_text->'values'->>'service',
       alert_text->'values'->>'used', 'of', alert_text->'values'->>'limit', 'times', occurrence_count) as stated
     from alerts join clients using (client_id) where client = 'acme' and alert_type = 'AccountAlert' order by 1`,
    )
    return rows.map(({ stated }) => stated)
  }
  const both = (stated: string) => [`admin ${stated}`, `client ${stated}`]

  it('notifies client and provider once when licences run out, and again only after a recovery', async () => {
    await limit(4)
    for (const name of ['Harriet', 'Imran', 'Molly']) await (await phone(name)).authenticate()
    assert.deepEqual(await readState(), [], 'three of four')
    await limit(3)
    const up = both('Medium licenses_used_up calls 3 of 3 times 1')
    assert.deepEqual(await readState(), up)
    assert.deepEqual(await readState(), up, 'an unchanged shortage raises no new alert')
    await limit(4)
    await readState()
    await limit(3)
    const again = both('Medium licenses_used_up calls 3 of 3 times 2')
    assert.deepEqual(await readState(), again)
    await server.sql(
      `insert into devices (client_id, device_reference, group_id, services, activated_at, updated_at, updated_by)
     select client_id, 'loose ' || i, group_id, '{calls}'::text[], 1, 1, 'test' from account_defaults join clients using (client_id), generate_series(1, 6) i
     where client = 'acme'`,
    )
    await limit(10)
    assert.deepEqual(await readState(), again, 'fewer than before, which is no news')
    await limit(11)
    await readState()
    await limit(10)
    const nearly = both('Low licenses_nearly_used calls 9 of 10 times 1')
    assert.deepEqual(await readState(), [...again, ...nearly].toSorted())
  })
})

describe('licence use', () => {
  let fixture: TestContext
  let client_id: number
  const PEOPLE = 12
  const PHONES = 40
  before(async () => {
    fixture = await testContext()
    const [client] = await fixture.sql<{ client_id: number }>(
      `insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0) returning client_id`,
    )
    client_id = client?.client_id ?? 0
    await fixture.sql(
      `with g as (insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, 'North', 0, 'test') returning group_id),
      u as (insert into device_users (client_id, device_user_reference, group_id, services, updated_at, updated_by)
        select $1, 'person ' || i, group_id, '{calls}', 0, 'test' from g, generate_series(1, ${PEOPLE}) i)
     insert into devices (client_id, device_reference, group_id, services, activated_at, updated_at, updated_by)
     select $1, 'phone ' || i, group_id, '{sms}', 1, 0, 'test' from g, generate_series(1, ${PHONES}) i`,
      [client_id],
    )
  })
  after(() => fixture?.close())

  const change = (statement: string, values: unknown[]) =>
    fixture.context.db.write(client_id, (tx: Tx) => tx.query(statement, values))
  const read = () => fixture.context.db.read(client_id, (q) => readUse(q))

  /** Recounts use from devices and users. */
  async function recount() {
    const rows = await fixture.sql<{ service: string; used: number }>(
      `select service, count(*)::int as used from devices d left join device_users u using (client_id, device_user_id)
     cross join lateral unnest(case when d.device_user_id is null then d.services when u.is_active then u.services else '{}' end) service
     where d.activated_at is not null and not d.is_deactivated and service <> all(d.unlicensed_services) group by 1`,
    )
    return forEachService((service) => rows.find((row) => row.service === service)?.used ?? 0)
  }

  test('licence use equals a recount after concurrent changes of devices and services', async () => {
    const r = seeded(7)
    const below = (n: number) => Math.floor(r() * n)
    const some = () => DEVICE_SERVICES.filter(() => r() < 0.4)
    const phone = () => `phone ${1 + below(PHONES)}`
    const person = () => `person ${1 + below(PEOPLE)}`
    const acts = [
      () =>
        change(
          `update devices set device_user_id = (select device_user_id from device_users where device_user_reference = $2), unlicensed_services = $3
         where device_reference = $1`,
          [phone(), person(), some()],
        ),
      () =>
        change('update devices set device_user_id = null, services = $2 where device_reference = $1', [
          phone(),
          some(),
        ]),
      () =>
        change('update devices set is_deactivated = $2 where device_reference = $1', [phone(), r() < 0.5]),
      () =>
        change('update device_users set services = $2, is_active = $3 where device_user_reference = $1', [
          person(),
          some(),
          r() < 0.7,
        ]),
    ]
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 15; i++) await acts[below(acts.length)]?.()
      }),
    )
    const used = await read()
    assert.deepEqual(used, await recount())
    assert.ok(Object.values(used).some((count) => count > 0))
    const [{ device_id } = { device_id: 0 }] = await fixture.sql<{ device_id: number }>(
      'select device_id from devices where activated_at is not null and not is_deactivated order by cardinality(granted_services) desc limit 1',
    )
    const others = await fixture.context.db.read(client_id, (q) => readUse(q, device_id))
    await change('delete from devices where device_id = $1', [device_id])
    assert.deepEqual(others, await recount())
    assert.deepEqual(await read(), others)
  })

  test('a device that is assigned while the services of its user change gets the new services', async () => {
    await change(`update device_users set services = '{calls}', is_active = true`, [])
    let commit = () => undefined as void
    const held = new Promise<void>((resolve) => (commit = resolve))
    let given = () => undefined as void
    const isGiven = new Promise<void>((resolve) => (given = resolve))
    const gives = fixture.context.db.write(client_id, async (tx: Tx) => {
      await tx.query(
        `update devices set device_user_id = (select device_user_id from device_users where device_user_reference = 'person 1'),
         unlicensed_services = '{}', activated_at = 1, is_deactivated = false where device_reference = 'phone 1'`,
      )
      given()
      await held
    })
    await isGiven
    let isDone = false
    const changes = change(
      `update device_users set services = '{photos}' where device_user_reference = 'person 1'`,
      [],
    ).then(() => (isDone = true))
    const isWaiting = async () =>
      (
        await fixture.sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
      ).length > 0
    while (!isDone && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5))
    commit()
    await Promise.all([gives, changes])
    assert.deepEqual(
      await fixture.sql(`select granted_services from devices where device_reference = 'phone 1'`),
      [{ granted_services: ['photos'] }],
    )
    assert.deepEqual(await read(), await recount())
  })
})
