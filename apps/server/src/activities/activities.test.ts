import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { type Person, signIn } from '../testing/access-fixture.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { paged } from '../testing/test-context.ts'

const LONG_AGO = 1_600_000_000

describe('the audit trails', () => {
  let server: TestServer
  let alice: Person
  let gina: Person
  let acme: number
  before(async () => {
    server = await testServer()
    alice = await signIn(server.url, 'acme', 'alice')
    gina = await signIn(server.url, 'globex', 'gina')
    acme = await server.idOf('acme')
    for (let i = 0; i < 7; i++)
      await insertPortal({ activity_time: LONG_AGO + Math.floor(i / 3), log_id: `p${i}` })
  })
  after(() => server?.close())

  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row).join(', ')
    await server.sql(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
      [JSON.stringify(row)],
    )
  }
  const insertPortal = (row: Record<string, unknown>) =>
    insert('portal_activities', {
      client_id: acme,
      user_reference: 'old',
      user_ip: '10.1.2.3',
      roles: [],
      action: 'payloads:list',
      is_allowed: true,
      is_client_app: false,
      parameters: '{}',
      request_id: 'r',
      ...row,
    })
  const insertDevice = (row: Record<string, unknown>) =>
    insert('device_activities', {
      client_id: acme,
      device_ip: '10.1.2.3',
      device_reference: 'd1',
      action: 'POST payloads',
      is_allowed: true,
      parameters: '{}',
      request_id: 'r',
      ...row,
    })
  type Query = NonNullable<Parameters<Person['api']['listActivities']>[0]['query']>
  const list = async (query: Query, person = alice) => {
    const answer = await person.api.listActivities({ query })
    assert.ok('data' in answer)
    return answer
  }
  const old = { from: '2020-09-13', to: '2020-09-13' }
  const ids = (rows: readonly { log_id: string }[]) => rows.map(({ log_id }) => log_id)

  it('show calls with their filters, source address and outcome, newest first', async () => {
    await alice.api.listGroups({ query: { search: 'findme-1', limit: 3 } })
    const { data } = await list({ search: 'FINDME-1', actions: ['groups:list'] })
    const [row] = data
    assert.equal(data.length, 1)
    assert.equal(row?.user_id, 'alice')
    assert.ok(row.user_ip.length > 1)
    assert.deepEqual([row.is_allowed, row.status_code, row.is_client_app], [true, 200, false])
    assert.match(row.parameters, /findme-1/)
    assert.ok(row.roles.includes('Account Administrator'))
    const all = (await list({})).data
    assert.deepEqual(
      all,
      [...all].sort((a, b) => b.activity_time - a.activity_time),
    )
  })

  it('list each entry once across pages, also within one second', async () => {
    const pages = await paged((from) => list({ ...old, limit: 2, ...from }))
    assert.deepEqual(ids(pages.flatMap(({ data }) => data)), ['p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0'])
    assert.deepEqual(await alice.api.listActivities({ query: { ...old, type: 'total' } }), { total: 7 })
  })

  it('include the start of a period and exclude its end', async () => {
    const found = await list({ from: '2020-09-13-122641', to: '2020-09-13-122642' })
    assert.deepEqual(ids(found.data), ['p5', 'p4', 'p3'])
    assert.deepEqual((await list({ from: '2020-09-14', to: '2020-09-13' })).data, [])
  })

  it('filter by action, outcome, address, group, user, kind and parameters as plain text', async () => {
    const at = LONG_AGO + 1000
    await insertPortal({ log_id: 'x1', activity_time: at, action: 'payloads:play', user_group: 'North' })
    await insertPortal({ log_id: 'x2', activity_time: at, action: 'payloads_:play', is_allowed: false })
    await insertPortal({ log_id: 'x3', activity_time: at, user_reference: 'new', user_ip: '10.9.9.9' })
    await insertPortal({ log_id: 'x4', activity_time: at, parameters: '{"a":"say \\"100%\\""}' })
    const support_reference = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    await insertPortal({ log_id: 'x5', activity_time: at, support_reference, is_client_app: true })
    const period = { from: '2020-09-13-124000', to: '2020-09-13-124400' }
    const cases: [Query, string[]][] = [
      [{ actions: ['payloads:play'] }, ['x1']],
      [{ actions: ['payloads_*'] }, ['x2']],
      [{ actions: ['payloads*', '%'] }, ['x5', 'x4', 'x3', 'x2', 'x1']],
      [{ actions: ['payload'] }, []],
      [{ is_allowed: 'false' }, ['x2']],
      [{ ip: '10.9.9.9' }, ['x3']],
      [{ groups: ['North', 'South'] }, ['x1']],
      [{ users: ['new'] }, ['x3']],
      [{ users: ['new', 'old', 'unknown'], limit: 3 }, ['x5', 'x4', 'x3']],
      [{ search: 'say "100%"' }, ['x4']],
      [{ search: 'a":"say' }, ['x4']],
      [{ search: '100_' }, []],
      [{ is_client_app: 'true' }, ['x5']],
      [{ is_support: 'true' }, ['x5']],
      [{ is_support: 'false', users: ['new'] }, ['x3']],
      [{ support_reference }, ['x5']],
      [{ support_reference, users: ['new'] }, []],
    ] as unknown as [Query, string[]][]
    for (const [query, expected] of cases) {
      assert.deepEqual(ids((await list({ ...period, ...query })).data), expected, JSON.stringify(query))
      if (query.limit) continue
      const total = await alice.api.listActivities({ query: { ...period, ...query, type: 'total' } })
      assert.deepEqual(total, { total: expected.length }, JSON.stringify(query))
    }
  })

  it('show only the entries of their client and reject the page key of another list', async () => {
    const { last_key = '' } = await list({ ...old, limit: 2 })
    await assert.rejects(
      list({ ...old, users: ['old'], last_key }),
      (error) => error instanceof ApiProblem && error.code === 'invalid_cursor',
    )
    await assert.rejects(
      list({}, gina),
      (error) => error instanceof ApiProblem && error.code === 'not_permitted',
    )
    const { data } = await list({ users: ['gina'] })
    assert.deepEqual(data, [])
  })

  it('show entries of the role’s groups, and entries without group only to roles without conditions', async () => {
    const at = LONG_AGO + 5000
    const groups = await server.sql<{ group_id: number; name: string }>(
      `select group_id, group_reference as name from groups where client_id = $1`,
      [acme],
    )
    for (const [log_id, name] of [
      ['g1', 'North'],
      ['g2', 'South'],
      ['g3', null],
    ] as const) {
      const group_id = groups.find((group) => group.name === name)?.group_id ?? null
      await insertPortal({ log_id, activity_time: at, user_group: name, group_id })
      await insertDevice({ log_id, activity_time: at, group_reference: name, group_id })
    }
    const conditions = [{ names_matching: ['North'] }]
    const document = {
      role_reference: 'North audit',
      permissions: [
        { actions_matching: ['activities:list', 'device_activities:list'], conditions },
        { actions_matching: ['profile:*'] },
      ],
      payload_types: [],
      cidr_ranges: [],
      alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
      is_alertable: false,
      is_system: false,
    }
    await server.sql(`insert into roles values ($1, 'North audit', $2, 1, 'test')`, [acme, document])
    await server.sql('update clients set access_epoch = access_epoch + 1 where client_id = $1', [acme])
    const as = async (roles: string[], groups?: string[]) => {
      const user_reference = `${roles} ${groups}`
      const who = { client: 'acme', user_reference, roles, ...(groups ? { groups } : {}) }
      const token = await openSession(server.ctx, who)
      return makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })
    }
    const query = { from: '2020-09-13-134000', to: '2020-09-13-135500' }
    const seen = async (api: Client) => {
      const [people, phones] = [
        await api.listActivities({ query }),
        await api.listDeviceActivities({ query }),
      ]
      assert.ok('data' in people && 'data' in phones)
      assert.deepEqual(ids(people.data), ids(phones.data))
      assert.deepEqual(await api.listActivities({ query: { ...query, type: 'total' } }), {
        total: people.count,
      })
      return ids(people.data)
    }
    assert.deepEqual(await seen(await as(['Auditor'])), ['g3', 'g2', 'g1'])
    const north = await as(['North audit'])
    assert.deepEqual(await seen(north), ['g1'])
    const asked = await north.listActivities({ query: { ...query, groups: ['South'] } })
    assert.ok('data' in asked)
    assert.deepEqual(asked.data, [], 'a group filter does not widen the reach')
    assert.deepEqual(await seen(await as(['Auditor'], ['South'])), ['g2'])
    assert.deepEqual(await seen(await as(['Auditor'], [])), [])
  })

  it('filter device entries by device and device user', async () => {
    const at = LONG_AGO + 9000
    await insertDevice({
      log_id: 'd1',
      activity_time: at,
      device_reference: 'd1',
      device_user_reference: 'nina',
    })
    await insertDevice({
      log_id: 'd2',
      activity_time: at,
      device_reference: 'd2',
      status_code: 400,
      duration: 0.25,
    })
    const period = { from: '2020-09-13-145500', to: '2020-09-13-145800' }
    const of = async (query: object) => {
      const answer = await alice.api.listDeviceActivities({ query: { ...period, ...query } })
      assert.ok('data' in answer)
      return ids(answer.data)
    }
    assert.deepEqual(await of({}), ['d2', 'd1'])
    assert.deepEqual(await of({ device_reference: 'd2' }), ['d2'])
    assert.deepEqual(await of({ device_user_reference: 'nina' }), ['d1'])
    assert.deepEqual(await of({ actions: ['POST *'] }), ['d2', 'd1'])
  })

  it('search in bounded steps and find rare entries page by page', async () => {
    await server.sql(
      `insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
       select 'm' || lpad(i::text, 8, '0'), $1, 'many', '10.0.0.1', 1500000000 + i, 'payloads:list', true,
         case when i = 5 then '{"needle":1}' else '{}' end, 'r' from generate_series(1, 120000) i`,
      [acme],
    )
    const query = { users: ['many'], search: 'needle' }
    const first = await list(query)
    assert.deepEqual(ids(first.data), [], 'one request looks at a bounded number of entries')
    assert.ok(first.last_key)
    assert.deepEqual(ids((await list({ ...query, last_key: first.last_key })).data), ['m00000005'])
    const total = await alice.api.listActivities({ query: { users: ['many'], type: 'total' } })
    assert.deepEqual(total, { total: 10_000, is_capped: true })
  })
})
