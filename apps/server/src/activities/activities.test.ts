import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SealedEntry } from '@custodia/contract'
import { LOG_FORMAT, verifyFile } from '@custodia/sealed-log'
import { sha256, verifyEd25519 } from '../sealed-log/notes.ts'
import { accessFixture, allow, type Person } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { paged } from '../testing/test-context.ts'
import { until } from '../testing/waits.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const LONG_AGO = 1_600_000_000

describe('the audit trails', () => {
  let alice: Person
  let acme: number
  before(async () => {
    alice = fixture.alice
    acme = await fixture.server.getId('acme')
    for (let i = 0; i < 7; i++)
      await insertPortal({ activity_time: LONG_AGO + Math.floor(i / 3), log_id: `p${i}` })
  })

  const insert = async (table: string, row: Record<string, unknown>) => {
    const columns = Object.keys(row).join(', ')
    await fixture.sql(
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

  it('are sealed within seconds, and entries and proofs verify offline', async () => {
    await alice.api.listGroups({ query: { search: 'sealed-1', limit: 3 } })
    const [row] = (await list({ search: 'sealed-1', actions: ['groups:list'] })).data
    const prove = (person: Person, log_id: string) =>
      person.api.proveActivity({ params: { log_id } }).catch(() => undefined)
    const log_id = row?.log_id ?? assert.fail()
    const proof = (await until('the seal', () => prove(alice, log_id))) ?? assert.fail()
    assert.equal(proof.fields?.user_reference, 'alice')
    const { keys, checkpoints } = await alice.api.readSealedLog({})
    const verify = (lines: readonly object[], held: readonly string[] = []) =>
      verifyFile(
        { sha256, verify: verifyEd25519 },
        lines.map((line) => JSON.stringify(line)),
        { keys, checkpoints: held },
      )
    assert.ok((await verify([proof])).isGood)
    const forged = { ...proof, fields: { ...proof.fields, user_reference: 'bob' } }
    assert.deepEqual(await verify([forged]), {
      isGood: false,
      fault: { code: 'entry_changed', values: { position: proof.position } },
    })
    const entries: SealedEntry[] = []
    const size = checkpoints[0]?.size ?? 0
    while (entries.length < size) {
      const { data } = await alice.api.listSealedEntries({ query: { from_position: entries.length } })
      entries.push(...data.filter(({ position }) => position < size))
    }
    const head = { format: LOG_FORMAT, checkpoint: checkpoints[0]?.checkpoint, checkpoints: [] }
    const whole = await verify([head, ...entries], [proof.checkpoint])
    assert.ok(whole.isGood && whole.entries === size && whole.disclosed > 0, JSON.stringify(whole))
    const former = checkpoints.at(-1)?.size ?? 0
    const way = await alice.api.proveConsistency({ query: { former } })
    assert.ok((await verify([way])).isGood)
    await fixture.giveRole('South log', [
      allow('profile:read'),
      { actions_matching: ['activities:list'], conditions: [{ names_matching: ['South'] }] },
    ])
    const south = await fixture.personWith(['South log'])
    assert.equal(await prove(south, log_id), undefined)
    const shown = await south.api.listSealedEntries({ query: { from_position: proof.position } })
    assert.deepEqual(Object.keys(shown.data[0] ?? {}), ['position', 'leaf'])
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
      return ids(answer.data)
    }
    assert.deepEqual(await of({}), ['d2', 'd1'])
    assert.deepEqual(await of({ device_reference: 'd2' }), ['d2'])
    assert.deepEqual(await of({ device_user_reference: 'nina' }), ['d1'])
    assert.deepEqual(await of({ actions: ['POST *'] }), ['d2', 'd1'])
  })

  it('name people, matters and conversations to readers who may see them, and the caller to all', async () => {
    await fixture.sql(
      `insert into device_users (client_id, device_user_reference, group_id, first_name, surname, updated_at, updated_by)
       select client_id, 'hc', group_id, 'Harriet', 'Cole', 0, 't' from groups where client_id = $1 and group_reference = 'North'`,
      [acme],
    )
    const message = await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      payload_type: 'SMS',
      bytes: Buffer.from('x'),
      document: { parties: [{ contact_name: null, phone_number: '+447700900123' }], party_count: 1 },
    })
    const [phone] = await fixture.sql<{ device_reference: string }>(
      `update devices v set model = 'Pixel 10', device_user_id = u.device_user_id from payloads p, device_users u
       where p.payload_reference = $1 and v.device_id = p.device_id and u.device_user_reference = 'hc' returning device_reference`,
      [message],
    )
    const { device_reference = '' } = phone ?? {}
    await fixture.sql(
      `update payload_documents set thread_id = 'T1' where payload_id = (select payload_id from payloads where payload_reference = $1)`,
      [message],
    )
    await fixture.sql(`update portal_sessions set display_name = 'Bob Singh' where user_reference = 'alice'`)
    const { matter_id } = await alice.api.openLegalMatter({
      body: { name: 'Inquiry', reason: 'a reason of a matter' },
    })
    const people = [{ target_type: 'DeviceUser', target: 'hc' }]
    const at = LONG_AGO + 20_000
    const entry = (log_id: string, action: string, parameters: object, user_reference = 'alice') =>
      insertPortal({
        log_id,
        activity_time: at,
        action,
        user_reference,
        parameters: JSON.stringify(parameters),
      })
    await entry('n1', 'account.legal_matters:update', { params: { matter_id }, body: { people } })
    await entry('n2', 'devices.sms:read', { params: { device_reference, thread_id: 'T1' } })
    await entry(
      'n3',
      'account.legal_holds:update',
      { params: { target_type: 'DeviceUser', target: 'hc' } },
      'old',
    )
    const period = { from: '2020-09-13-175500', to: '2020-09-13-180500' }
    const namesTo = async (person: Person) => (await list(period, person)).data.map(({ names }) => names)
    assert.deepEqual(await namesTo(alice), [
      { target: 'Harriet Cole' },
      {
        who: 'Bob Singh',
        device_reference: 'Harriet Cole · Pixel 10',
        holder: 'Harriet Cole',
        thread_id: '+447700900123',
      },
      { who: 'Bob Singh', matter_id: 'Inquiry', people: 'Harriet Cole' },
    ])
    await fixture.giveRole('Log alone', [allow('activities:*', 'profile:read')])
    const stranger = await fixture.personWith(['Log alone'])
    assert.deepEqual(await namesTo(stranger), [{}, { who: 'Bob Singh' }, { who: 'Bob Singh', people: 'hc' }])
    await fixture.giveRole('South', [
      allow('activities:*', 'profile:read'),
      {
        actions_matching: ['users:*', 'devices:*', 'payloads:*'],
        conditions: [{ names_matching: ['South'] }],
      },
    ])
    const south = await fixture.personWith(['South'])
    assert.deepEqual(await namesTo(south), [{}, { who: 'Bob Singh' }, { who: 'Bob Singh', people: 'hc' }])
  })

  it('search in bounded steps and find rare entries page by page', async () => {
    await fixture.sql(
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
    assert.deepEqual(total, { total: 1000, is_capped: true })
    // No next page and no limit of the count show that entries out of reach exist.
    const south = await fixture.personWith(['South log'])
    for (const users of [['many'], ['missing']]) {
      assert.deepEqual(await list({ users }, south), { count: 0, data: [] })
      const none = await south.api.listActivities({ query: { users, type: 'total' } })
      assert.deepEqual(none, { total: 0 })
    }
  })
})

describe('the group of audit entries', () => {
  let lead: Person
  before(async () => {
    await fixture.giveRole('North Lead', [
      {
        actions_matching: ['groups:*', 'activities:list', 'device_activities:list'],
        conditions: [{ keys_matching: ['region'], values_matching: ['North'] }],
      },
      allow('profile:read'),
    ])
    lead = await fixture.personWith(['North Lead'])
  })

  const saveGroup = (group_reference: string) =>
    lead.api.saveGroup({ params: { group_reference }, body: { tags: [{ key: 'region', value: 'North' }] } })
  const getId = async (group_reference: string) =>
    (
      await fixture.sql<{ group_id: number }>(
        `select group_id from groups join clients using (client_id) where client = 'acme' and group_reference = $1`,
        [group_reference],
      )
    )[0]?.group_id
  const getEntries = (user_reference: string) =>
    fixture.sql<{ user_group: string | null; group_id: number | null }>(
      `select user_group, group_id from portal_activities where user_reference = $1 and action = 'groups:list' order by log_id`,
      [user_reference],
    )
  /** What the lead of North sees of a person. */
  const getSeen = async (user_reference: string) => {
    const answer = await lead.api.listActivities({
      query: { users: [user_reference], actions: ['groups:list'] },
    })
    const total = await lead.api.listActivities({
      query: { users: [user_reference], actions: ['groups:list'], type: 'total' },
    })
    assert.deepEqual(total, { total: answer.data.length })
    return answer.data.map(({ group }) => group)
  }

  it('user entries without a group stay hidden after a group of that name is created', async () => {
    await fixture.sql(`delete from portal_activities where user_reference = 'alice'`)
    await fixture.sql(`update portal_sessions set user_group = 'Board' where user_reference = 'alice'`)
    await fixture.alice.api.listGroups({})
    assert.deepEqual(await getEntries('alice'), [{ user_group: 'Board', group_id: null }])
    await saveGroup('Board')
    assert.deepEqual(await getSeen('alice'), [])

    await fixture.alice.api.listGroups({})
    assert.deepEqual(
      (await getEntries('alice')).map(({ group_id }) => group_id),
      [null, await getId('Board')],
    )
    assert.deepEqual(await getSeen('alice'), ['Board'], 'what happens from now on is of the new group')

    await lead.api.deleteGroup({ params: { group_reference: 'Board' } })
    assert.deepEqual(await getSeen('alice'), [])
    await saveGroup('Board')
    assert.deepEqual(await getSeen('alice'), [], 'the next group of that name is another one')
  })

  it('device entries stay with their group, not with a new group of the same name', async () => {
    await saveGroup('Desk 7')
    const write = (log_id: string, group_id: number | undefined) =>
      fixture.sql(
        `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, group_reference, group_id, action,
           is_allowed, parameters, request_id)
         select $1, client_id, '10.0.0.1', 'phone 7', 1600000000, 'Desk 7', $2, 'POST payloads', true, '{}', 'r'
         from clients where client = 'acme'`,
        [log_id, group_id ?? null],
      )
    const seen = async () => {
      const answer = await lead.api.listDeviceActivities({ query: { device_reference: 'phone 7' } })
      return answer.data.map(({ log_id }) => log_id)
    }
    await write('none', undefined)
    await write('first', await getId('Desk 7'))
    assert.deepEqual(await seen(), ['first'])
    await lead.api.deleteGroup({ params: { group_reference: 'Desk 7' } })
    await saveGroup('Desk 7')
    await write('second', await getId('Desk 7'))
    assert.deepEqual(await seen(), ['second'])
    const all = await fixture.alice.api.listDeviceActivities({ query: { groups: ['Desk 7'] } })
    assert.deepEqual(
      all.data.map(({ log_id }) => log_id).toSorted(),
      ['first', 'none', 'second'],
      'asking for a group goes by its name',
    )
  })

  it('entries of provider staff name no group of the client, even with the same name', async () => {
    await fixture.sql(
      `insert into groups (client_id, group_reference, updated_at, updated_by)
       select client_id, 'Same', 0, 'test' from clients`,
    )
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    const { ctx } = fixture.server
    const ids = await fixture.sql<{ client_id: number; client: string }>(
      'select client_id, client from clients',
    )
    const client_id = (client: string) => ids.find((each) => each.client === client)?.client_id ?? 0
    const entry = {
      caller: {
        kind: 'portal',
        client_id: client_id('globex'),
        user_reference: 'staff',
        user_group: 'Same',
        group_id: 7,
        roles: [],
      },
      ip: '::1',
      browser: undefined,
      activity_time: 1,
      activity_end_time: 1,
      duration: 0,
      action: 'groups:list',
      is_allowed: true,
      denial_reason: null,
      parameters: '{}',
      status_code: 200,
      request_id: 'r',
    } as const
    await ctx.audit.append({ ...entry, log_id: 'own' })
    await ctx.audit.append({ ...entry, log_id: 'theirs', client_id: client_id('acme') })
    assert.deepEqual(
      (await getEntries('staff')).map(({ group_id }) => group_id),
      [7, null],
    )
  })
})
