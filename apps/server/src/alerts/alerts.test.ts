import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { REFERENCES, restoreTargets } from '../system/matrix/targets.test-support.ts'
import { openSession } from '../testing/session.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { type AlertEvent, raiseAlert } from './raise.ts'

const NOTHING = { ops_read: false, ops_write: false, sec_read: false, sec_write: false }

describe('alerts', () => {
  let server: TestServer
  const ids = new Map<string, number>()
  const groups = new Map<string, number>()
  before(async () => {
    server = await testServer()
    for (const row of await owner<{ client: string; client_id: number }>(
      'select client, client_id from clients',
    ))
      ids.set(row.client, row.client_id)
    for (const row of await owner<{ group_reference: string; group_id: number }>(
      `select group_reference, group_id from groups join clients using (client_id) where client = 'acme'`,
    ))
      groups.set(row.group_reference, row.group_id)
    await role('North sec', ['alerts:*', 'alerts.*'], { ...NOTHING, sec_read: true }, ['North'])
    await role('Ops clerk', ['alerts:*', 'alerts.*'], { ...NOTHING, ops_read: true, ops_write: true })
    await role('Blind', ['alerts:*', 'alerts.*'], NOTHING)
  })
  after(() => server?.close())

  const owner = async <Row>(text: string, values: unknown[] = []) =>
    (await server.house.db.owner.query(text, values)).rows as Row[]
  const client = (name: string) => ids.get(name) ?? 0
  async function role(
    role_reference: string,
    actions: string[],
    alert_permissions: object,
    names?: string[],
  ) {
    const conditions = names && [{ names_matching: names }]
    const document = {
      role_reference,
      permissions: [{ actions_matching: [...actions, 'profile:*'], ...(conditions ? { conditions } : {}) }],
      payload_types: [],
      cidr_ranges: [],
      alert_permissions,
      is_alertable: false,
      is_system: false,
    }
    await owner('insert into roles values ($1, $2, $3, 1, $4)', [
      client('acme'),
      role_reference,
      document,
      'test',
    ])
    await owner('update clients set access_epoch = access_epoch + 1 where client = $1', ['acme'])
  }
  let people = 0
  async function person(
    role_name: string,
    of = 'acme',
    groups?: string[],
  ): Promise<Client & { name: string }> {
    const user_reference = `user ${people++}`
    const roles = [role_name]
    const token = await openSession(server.house, {
      client: of,
      user_reference,
      roles,
      ...(groups ? { groups } : {}),
    })
    const api = makeClient({ baseUrl: server.url, client: () => of, credentials: async () => ({ token }) })
    return Object.assign(api, { name: user_reference })
  }
  /** Raises an alert; its reference. */
  async function raise(alert_key: string, change: Partial<AlertEvent> = {}, of = 'acme'): Promise<string> {
    await server.house.db.write(client(of), (tx) =>
      raiseAlert(tx, {
        client_id: client(of),
        alert_scope: 'sec',
        alert_type: 'PayloadAlert',
        alert_key,
        alert_subject: `subject ${alert_key}`,
        alert_message: 'message',
        alert_severity: 'Medium',
        now: server.house.now(),
        ...change,
      }),
    )
    const [row] = await owner<{ alert_reference: string }>(
      'select alert_reference from alerts where alert_key = $1 and client_id = $2',
      [alert_key, client(of)],
    )
    return row?.alert_reference ?? ''
  }
  type Query = NonNullable<Parameters<Client['listAlerts']>[0]['query']>
  const keys = async (api: Client, query: Query = {}) => {
    const answer = await api.listAlerts({ query })
    assert.ok('data' in answer)
    return answer.data.map(({ alert_key }) => alert_key)
  }
  const code = (expected: string) => (error: unknown) =>
    error instanceof ApiProblem && error.code === expected
  const only = async (alerts: Promise<{ alerts: { status: string }[] }>) =>
    (await alerts).alerts.map(({ status }) => status)

  it('are seen where action, alert permission and group allow it', async () => {
    await raise('r north', { group_id: groups.get('North') ?? 0 })
    await raise('r south', { group_id: groups.get('South') ?? 0 })
    const account = await raise('r account')
    await raise('r ops', { alert_scope: 'ops' })
    await raise('r ops north', { alert_scope: 'ops', group_id: groups.get('North') ?? 0 })
    await raise('r foreign', {}, 'globex')
    const seen = async (api: Client) => (await keys(api, { search: 'subject r' })).sort()
    const admin = await person('Account Administrator')
    const north = await person('North sec')
    assert.deepEqual(await seen(admin), ['r account', 'r north', 'r ops', 'r ops north', 'r south'])
    assert.deepEqual(await seen(north), ['r north'])
    assert.deepEqual(await seen(await person('Ops clerk')), ['r ops', 'r ops north'])
    assert.deepEqual(await seen(await person('Account Administrator', 'acme', ['North'])), [
      'r north',
      'r ops north',
    ])
    assert.deepEqual(await seen(await person('Blind')), [])
    assert.deepEqual(await seen(await person('Account Administrator', 'globex')), ['r foreign'])
    await assert.rejects(keys(await person('Compliance Reviewer')), code('not_permitted'))
    await assert.rejects(north.readAlert({ params: { alert_reference: account } }), code('not_found'))
    assert.deepEqual(await only(north.dismissAlerts({ body: { alert_references: [account] } })), [
      'NoMatchingRecord',
    ])
    const total = await north.listAlerts({ query: { search: 'subject r', type: 'total' } })
    assert.deepEqual(total, { total: 1 })
    assert.deepEqual((await north.readAlertSummary({})).data, [
      { scope: 'sec', severity: 'Medium', count: 1 },
    ])
  })

  it('are listed by the chosen time, filtered, and walked page by page', async () => {
    for (let i = 0; i < 5; i++) await raise(`w${i}`, { alert_scope: 'ops', now: 1000 + Math.floor(i / 2) })
    await raise('w0', { alert_scope: 'ops', now: 2000, alert_severity: 'High' })
    const api = await person('Account Administrator')
    const period = { from: '1970-01-01', to: '1970-01-01' }
    const walked: string[] = []
    let last_key: string | undefined
    do {
      const page = await api.listAlerts({ query: { ...period, limit: 2, ...(last_key ? { last_key } : {}) } })
      assert.ok('data' in page)
      walked.push(...page.data.map(({ alert_key }) => alert_key))
      last_key = page.last_key
    } while (last_key)
    assert.deepEqual(walked, ['w0', 'w4', 'w3', 'w2', 'w1'])
    assert.deepEqual(await keys(api, { ...period, date_filter: 'first_occurrence' }), [
      'w4',
      'w3',
      'w2',
      'w1',
      'w0',
    ])
    assert.deepEqual(await keys(api, { ...period, severities: ['High'] }), ['w0'])
    assert.deepEqual(await keys(api, { ...period, scopes: ['sec'] }), [])
    assert.deepEqual(await keys(api, { ...period, alert_types: ['DeviceAlert'] }), [])
    assert.deepEqual(await keys(api, { ...period, search: 'SUBJECT W3' }), ['w3'])
    assert.deepEqual(await keys(api, { ...period, search: 'w%' }), [])
  })

  it('are cleared for everybody with a reason, once, by those who may write their scope', async () => {
    const sec = await raise('c sec')
    const ops = await raise('c ops', { alert_scope: 'ops' })
    const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const clerk = await person('Ops clerk')
    const clear = (api: Client) =>
      api.clearAlerts({ body: { alert_references: [sec, unknown, ops], cleared_reason: 'looked into' } })
    assert.deepEqual(await only(clear(clerk)), ['NoMatchingRecord', 'NoMatchingRecord', 'Ok'])
    const admin = await person('Account Administrator')
    assert.deepEqual(await only(clear(admin)), ['Ok', 'NoMatchingRecord', 'NotTriggered'])
    const alert = await admin.readAlert({ params: { alert_reference: ops } })
    assert.equal(alert.alert_state, 'Cleared')
    assert.equal(alert.cleared_reason, 'looked into')
    assert.equal(alert.cleared_by, clerk.name)
    assert.ok(alert.cleared_at)
    assert.deepEqual(await keys(admin, { search: 'subject c ', states: ['Triggered'] }), [])
    const logged = await owner(
      `select from portal_activities where action = 'alerts:clear' and parameters like '%looked into%' and is_allowed`,
    )
    assert.equal(logged.length, 2)
  })

  it('are dismissed by each for themselves, until they trigger afresh', async () => {
    const alert_reference = await raise('d')
    const [ann, ben] = [await person('Account Administrator'), await person('Account Administrator')]
    const body = { alert_references: [alert_reference] }
    const count = async (api: Client) =>
      (await api.readAlertSummary({})).data.reduce((sum, row) => sum + row.count, 0)
    const before = await count(ann)
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['Ok'])
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['Ok'])
    assert.deepEqual([await count(ann), await count(ben)], [before - 1, before])
    assert.deepEqual(await keys(ann, { search: 'subject d', is_dismissed: 'true' } as unknown as Query), [
      'd',
    ])
    assert.deepEqual(await keys(ben, { search: 'subject d', is_dismissed: 'true' } as unknown as Query), [])
    const read = (api: Client) => api.readAlert({ params: { alert_reference } })
    assert.deepEqual([(await read(ann)).is_dismissed, (await read(ben)).is_dismissed], [true, false])
    assert.equal((await read(ben)).dismissed_by, ann.name)
    await raise('d')
    assert.equal(
      (await read(ann)).is_dismissed,
      true,
      'a further occurrence of what is known changes nothing',
    )
    await ben.clearAlerts({ body: { ...body, cleared_reason: 'done' } })
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['NotTriggered'])
    await raise('d')
    const again = await read(ann)
    assert.deepEqual(
      [
        again.alert_state,
        again.is_dismissed,
        again.dismissed_by,
        again.cleared_reason,
        again.cleared_at,
        again.cleared_by,
      ],
      ['Triggered', false, '', null, null, null],
    )
    assert.equal(again.occurrence_count, 3)
  })

  it('link to what they are about, as far as the reader may see it', async () => {
    const entities = [
      { entity_id: 'no such payload', entity_type: 'Payload' },
      { entity_id: 'a b&c', entity_type: 'PortalUser' },
      { entity_id: 'R1', entity_type: 'SupportAccessRequest' },
      { entity_id: 'd1', entity_type: 'Device' },
    ] as const
    const alert_reference = await raise('l', { related_entities: entities })
    const admin = await person('Account Administrator')
    const { related_entities } = await admin.readAlert({ params: { alert_reference } })
    assert.deepEqual(
      related_entities.map(({ page_link }) => page_link),
      [
        undefined,
        '/dashboard/account/audit?users=a%20b%26c',
        '/dashboard/account/support-access?preview=R1',
        undefined,
      ],
    )
    assert.deepEqual(await keys(admin, { search: 'a b&c' }), ['l'])
    await restoreTargets(server.house.db, server.house.now())
    const { own: message = '', 'other type': photo = '' } = REFERENCES.payload_reference ?? {}
    const payloads = [message, photo].map((entity_id) => ({ entity_id, entity_type: 'Payload' as const }))
    const about = await raise('l payloads', { related_entities: payloads })
    const links = async (api: Client) =>
      (await api.readAlert({ params: { alert_reference: about } })).related_entities.map(
        ({ page_link }) => page_link,
      )
    const page = `/dashboard/services/messages/${message}`
    assert.deepEqual(
      await links(await person('Compliance Manager')),
      [page, undefined],
      'photos have no page yet',
    )
    assert.deepEqual(await links(admin), [undefined, undefined], 'who may not read it gets no link')
  })

  describe('of the provider', () => {
    let dave: Client & { name: string }
    before(async () => {
      dave = await person('Provider Administrator', 'admin')
    })
    const listed = async (query: Parameters<Client['listAlertsOfClients']>[0]['query'] = {}) => {
      const answer = await dave.listAlertsOfClients({ query })
      assert.ok('data' in answer)
      return answer.data
    }
    const clientsLog = (of: string) =>
      owner<{ action: string; user_reference: string }>(
        `select action, user_reference from portal_activities where client_id = $1 and action like 'internal%'`,
        [client(of)],
      )

    it('are operational ones of all clients, never their security', async () => {
      await raise('i ops', { alert_scope: 'ops' })
      const sec = await raise('i sec')
      await raise('i globex', { alert_scope: 'ops' }, 'globex')
      const rows = await listed({ search: 'subject i ' })
      assert.deepEqual(rows.map((row) => [row.client, row.alert_key]).sort(), [
        ['acme', 'i ops'],
        ['globex', 'i globex'],
      ])
      assert.deepEqual((await listed({ search: 'subject i ', clients: ['globex'] })).length, 1)
      assert.deepEqual(
        await dave.listAlertsOfClients({
          query: { search: 'subject i ', clients: ['globex'], type: 'total' },
        }),
        { total: 1 },
      )
      await assert.rejects(
        dave.readAlertOfClient({ params: { client: 'acme', alert_reference: sec } }),
        code('not_found'),
      )
      const body = { alert_references: [sec], cleared_reason: 'hidden' }
      const clearing = dave.clearAlertsOfClient({ params: { client: 'acme' }, body })
      assert.deepEqual(await only(clearing), ['NoMatchingRecord'])
      const page = await dave.listAlertsOfClients({ query: { search: 'subject i ', limit: 1 } })
      assert.ok('data' in page && page.last_key)
      const next = await listed({ search: 'subject i ', limit: 1, last_key: page.last_key })
      assert.notEqual(next[0]?.alert_key, page.data[0]?.alert_key)
    })

    it('can be cleared and dismissed; both stand in the client’s own log', async () => {
      const alert_reference = await raise('j', { alert_scope: 'ops' })
      const params = { client: 'acme' }
      const body = { alert_references: [alert_reference] }
      assert.deepEqual(await only(dave.dismissAlertsOfClient({ params, body })), ['Ok'])
      const read = () => dave.readAlertOfClient({ params: { ...params, alert_reference } })
      assert.equal((await read()).is_dismissed, true)
      assert.equal((await read()).dismissed_by, `${dave.name} (provider)`)
      const clearing = dave.clearAlertsOfClient({ params, body: { ...body, cleared_reason: 'fixed' } })
      assert.deepEqual(await only(clearing), ['Ok'])
      assert.equal((await read()).cleared_by, `${dave.name} (provider)`)
      const log = await clientsLog('acme')
      assert.ok(
        log.some((row) => row.action === 'internal.alerts:dismiss' && row.user_reference === dave.name),
      )
      assert.ok(log.some((row) => row.action === 'internal.alerts:clear' && row.user_reference === dave.name))
    })

    it('are sent to all clients or to some, once, and end when they expire', async () => {
      const expires_after = server.house.now() + 1000
      const body = { scope: 'ops', severity: 'Low', message: 'Maintenance on Sunday', expires_after } as const
      const { clients } = await dave.notifyClients({ body })
      assert.deepEqual(clients, ['acme', 'globex'])
      await dave.notifyClients({ body })
      const admin = await person('Account Administrator')
      const query = { alert_types: ['Notification'] } as const
      const shown = async () => {
        const page = await admin.listAlerts({ query: { alert_types: ['Notification'] } })
        assert.ok('data' in page)
        return page.data.map(({ alert_message, occurrence_count }) => [alert_message, occurrence_count])
      }
      assert.deepEqual(await shown(), [['Maintenance on Sunday', 2]])
      assert.ok((await clientsLog('globex')).some(({ action }) => action === 'internal.alerts:notify'))
      await owner('update alerts set expires_after = $1 where alert_type = $2', [
        server.house.now(),
        'Notification',
      ])
      assert.deepEqual(await shown(), [])
      const refused = { ...body, message: 'for one', clients: ['globex', 'nobody'] }
      await assert.rejects(dave.notifyClients({ body: refused }), code('not_found'))
      await assert.rejects(dave.notifyClients({ body: { ...body, expires_after: 1 } }), code('invalid_input'))
      assert.deepEqual(await listed({ ...query, alert_types: ['Notification'], search: 'for one' }), [])
      assert.deepEqual((await dave.notifyClients({ body: { ...refused, clients: ['globex'] } })).clients, [
        'globex',
      ])
      const sec = { ...body, scope: 'sec', message: 'Rotate your keys' } as const
      await dave.notifyClients({ body: sec })
      assert.equal(
        (await listed({ search: 'Rotate' })).length,
        2,
        'what the provider sent it sees, in any scope',
      )
    })

    it('are closed to clients', async () => {
      const admin = await person('Account Administrator')
      await assert.rejects(admin.listAlertsOfClients({ query: {} }), code('not_found'))
    })
  })
})
