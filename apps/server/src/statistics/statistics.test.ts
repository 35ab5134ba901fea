import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import type { Statistics } from '@custodia/contract'
import { type Person, signIn } from '../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { until } from '../testing/waits.ts'
import { type ClientFigures, getStatistics, type TableFacts } from './figures.ts'
import { gatherFigures, gatherStatistics } from './jobs.ts'

describe('statistics', () => {
  let server: TestServer
  let erin: Person
  before(async () => {
    server = await testServer({}, { hasWorker: true, hasWorked: false })
    const phone = await demoPhone(server.ctx.config.dataDir, server.url, 'Harriet')
    await phone.authenticate()
    for (const text of ['one', 'two']) await phone.record(getRecording('SMS', getMessage(text)).recording)
    await phone.sync()
    await signIn(server.url, 'acme', 'alice')
    await signIn(server.url, 'acme', 'alice')
    erin = await signIn(server.url, 'admin', 'erin')
    await until(
      'two documents',
      () => exact('select count(*)::int as n from payload_documents'),
      (count) => count === 2,
    )
  })
  after(() => server?.close())

  const forget = () => server.sql('delete from statistics')
  const exact = async (sql: string) => Number((await server.sql(sql))[0]?.n)
  const entity = (statistics: Statistics, name: string) => {
    const found = statistics.entities.find((each) => each.entity === name)
    assert.ok(found, name)
    return found
  }

  // The queue removes completed jobs after a while.
  it('are counted when a worker starts', async () => {
    await until(
      'the count to complete',
      () =>
        server.sql(
          `select state, count(*)::int as n from pgboss.job where name = 'statistics.gather' group by state`,
        ),
      (jobs) => jobs.length === 1 && jobs[0]?.state === 'completed' && jobs[0].n === 1,
    )
  })

  it('are counted for the first reader, and match the tables', async () => {
    await forget()
    const before = server.ctx.now()
    const statistics = await erin.api.readStatistics({})
    const of = (name: string) => {
      const { count, clients } = entity(statistics, name)
      return [count, clients.map((each) => [each.client, each.count])]
    }
    assert.deepEqual(of('Device'), [1, [['acme', 1]]])
    assert.deepEqual(of('DeviceUser'), [
      12,
      [
        ['acme', 9],
        ['globex', 3],
      ],
    ])
    assert.deepEqual(of('Payload'), [2, [['acme', 2]]])
    assert.deepEqual(of('Group')[0], await exact('select count(*) as n from groups'))
    assert.deepEqual(of('PortalUser'), [
      2,
      [
        ['acme', 1],
        ['admin', 1],
      ],
    ])
    const names = statistics.entities.map((each) => each.entity)
    assert.deepEqual(names, names.toSorted())
    for (const each of [...statistics.entities, ...statistics.tables]) {
      assert.ok(each.size_mb > 0)
      assert.ok(each.updated_at >= before)
    }
    const [bucket, ...more] = statistics.buckets
    assert.ok(bucket && more.length === 0)
    const sealed = await exact('select sum(sealed_size) as n from payload_objects')
    assert.deepEqual(
      [bucket.name, bucket.count, bucket.size_mb],
      ['objects', await exact('select count(*) as n from payload_objects'), Math.round(sealed / 1000) / 1000],
    )
    assert.deepEqual(bucket.clients, [{ client: 'acme', count: bucket.count, size_mb: bucket.size_mb }])
    const months = statistics.growth.find(({ client: name }) => name === 'acme')?.months ?? []
    assert.equal(months.length, 13)
    assert.deepEqual(
      [months.at(-1)?.recordings, months.at(-1)?.size_mb, months.at(-2)?.size_mb],
      [2, bucket.size_mb, 0],
    )
  })

  it('include every table with all partitions and the rows of all tenants', async () => {
    await gatherStatistics(server.ctx, 60)
    const { tables, log_groups } = await erin.api.readStatistics({})
    const rows = await server.sql(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    assert.deepEqual(
      tables.map(({ name }) => name).toSorted(),
      rows.map(({ relname }) => relname as string).toSorted(),
    )
    for (const name of [
      'groups',
      'group_tags',
      'payload_states',
      'device_users',
      'clients',
      'payload_objects',
    ])
      assert.equal(
        tables.find((each) => each.name === name)?.count,
        await exact(`select count(*) as n from ${name}`),
        name,
      )
    const devices = log_groups.find(({ name }) => name === 'device_activities')
    assert.ok(devices)
    assert.deepEqual(
      [devices.count, devices.clients.map(({ client }) => client)],
      [await exact('select count(*) as n from device_activities'), ['acme']],
    )
    assert.ok(
      devices.size_mb >= (await exact(`select pg_relation_size('device_activities_default') as n`)) / 1e6,
    )
    assert.ok(log_groups.some(({ name }) => name === 'portal_activities'))
  })

  it('stay until the next count, and keep old figures when a count runs out of time', async () => {
    await gatherStatistics(server.ctx, 60)
    const former = await erin.api.readStatistics({})
    await server.sql(
      `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
       select client_id, 'New Contact', group_id, 1, 'test' from account_defaults join clients using (client_id) where client = 'acme'`,
    )
    assert.deepEqual(await erin.api.readStatistics({}), former)
    await gatherStatistics(server.ctx, 0)
    assert.equal(entity(await erin.api.readStatistics({}), 'DeviceUser').count, 12)
    await gatherFigures.run(server.ctx, {}, new AbortController().signal)
    assert.equal(entity(await erin.api.readStatistics({}), 'DeviceUser').count, 13)
  })
})

const table = (name: string, facts: Partial<TableFacts> = {}): TableFacts => ({
  name,
  bytes: 2_500_000,
  estimate: 10,
  is_tenant: true,
  is_readable: true,
  ...facts,
})
const client = (name: string, rows: Record<string, number>, updated_at = 100): ClientFigures => ({
  client: name,
  rows,
  objects: { count: 0, bytes: 0 },
  months: [],
  portal_users: 0,
  updated_at,
})
const made = (tables: TableFacts[], clients: ClientFigures[], common: Record<string, number> = {}) =>
  getStatistics({ tables, clients, common, bucket: 'objects', now: 200 })

test('small tables are counted, and large or unreadable ones are estimated', () => {
  const { tables } = made(
    [
      table('groups'),
      table('payloads', { estimate: 3_000_000 }),
      table('clients', { is_tenant: false }),
      table('oidc_items', { is_tenant: false, estimate: 200_000 }),
      table('hidden', { is_readable: false, estimate: 7 }),
    ],
    [client('acme', { groups: 3, payloads: 9 }), client('globex', { groups: 4, payloads: 1 })],
    { clients: 2 },
  )
  assert.deepEqual(
    tables.map(({ name, count, size_mb, clients }) => [name, count, size_mb, clients]),
    [
      ['groups', 7, 2.5, []],
      ['payloads', 3_000_000, 2.5, []],
      ['clients', 2, 2.5, []],
      ['oidc_items', 200_000, 2.5, []],
      ['hidden', 7, 2.5, []],
    ],
  )
})

test('entities are counted per client, and are as old as the oldest count', () => {
  const { entities } = made(
    [table('devices')],
    [client('globex', { devices: 2 }, 50), client('acme', { devices: 1 }), client('new', { devices: 0 })],
  )
  const devices = entities.find(({ entity }) => entity === 'Device')
  assert.deepEqual(devices, {
    entity: 'Device',
    count: 3,
    size_mb: 2.5,
    clients: [
      { client: 'acme', count: 1, size_mb: null },
      { client: 'globex', count: 2, size_mb: null },
    ],
    updated_at: 50,
  })
})

test('an installation without clients has zero for all figures', () => {
  const { entities, buckets, log_groups } = made([], [])
  for (const { count, size_mb } of [...entities, ...buckets, ...log_groups])
    assert.deepEqual([count, size_mb], [0, 0])
})
