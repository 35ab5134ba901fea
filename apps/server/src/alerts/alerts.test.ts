import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import type { Client } from '@custodia/client'
import type { PayloadType } from '@custodia/contract'
import { everyRow } from '../testing/access-fixture.ts'
import { alertFixture, type AlertQuery, code, type NamedClient, only } from '../testing/alert-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { type AlertEvent, raiseAlert } from './raise.ts'

const fixture = await alertFixture()
after(() => fixture.close())

describe('alerts', () => {
  it('are visible where action, alert permission and group allow it', async () => {
    await fixture.raise('r north', { group_id: fixture.group('North') })
    await fixture.raise('r south', { group_id: fixture.group('South') })
    const account = await fixture.raise('r account')
    await fixture.raise('r ops', { alert_scopes: ['ops'] })
    await fixture.raise('r ops north', { alert_scopes: ['ops'], group_id: fixture.group('North') })
    await fixture.raise('r foreign', {}, 'globex')
    const seen = async (api: Client) => (await fixture.keys(api, { search: 'about r' })).sort()
    const admin = await fixture.person('Account Administrator')
    const north = await fixture.person('North sec')
    assert.deepEqual(await seen(admin), ['r account', 'r north', 'r ops', 'r ops north', 'r south'])
    assert.deepEqual(await seen(north), ['r north'])
    assert.deepEqual(await seen(await fixture.person('Ops clerk')), ['r ops', 'r ops north'])
    assert.deepEqual(await seen(await fixture.person('Account Administrator', 'acme', ['North'])), [
      'r north',
      'r ops north',
    ])
    assert.deepEqual(await seen(await fixture.person('Blind')), [])
    assert.deepEqual(await seen(await fixture.person('Account Administrator', 'globex')), ['r foreign'])
    await assert.rejects(fixture.keys(await fixture.person('Compliance Reviewer')), code('not_permitted'))
    await assert.rejects(north.readAlert({ params: { alert_reference: account } }), code('not_found'))
    assert.deepEqual(await only(north.dismissAlerts({ body: { alert_references: [account] } })), [
      'NoMatchingRecord',
    ])
    const total = await north.listAlerts({ query: { search: 'about r', type: 'total' } })
    assert.deepEqual(total, { total: 1 })
    assert.deepEqual((await north.readAlertSummary({})).data, [
      { scope: 'sec', severity: 'Medium', count: 1 },
    ])
  })

  it('are filtered and listed page by page by the chosen time', async () => {
    for (let i = 0; i < 5; i++)
      await fixture.raise(`w${i}`, { alert_scopes: ['ops'], now: 1000 + Math.floor(i / 2) })
    await fixture.raise('w0', { alert_scopes: ['ops'], now: 2000, alert_severity: 'High' })
    const api = await fixture.person('Account Administrator')
    const period = { from: '1970-01-01', to: '1970-01-01' }
    const walked = await everyRow((paging) => api.listAlerts({ query: { ...period, limit: 2, ...paging } }))
    assert.deepEqual(
      walked.map(({ alert_key }) => alert_key),
      ['w0', 'w4', 'w3', 'w2', 'w1'],
    )
    assert.deepEqual(await fixture.keys(api, { ...period, date_filter: 'first_occurrence' }), [
      'w4',
      'w3',
      'w2',
      'w1',
      'w0',
    ])
    assert.deepEqual(await fixture.keys(api, { ...period, severities: ['High'] }), ['w0'])
    assert.deepEqual(await fixture.keys(api, { ...period, scopes: ['sec'] }), [])
    assert.deepEqual(await fixture.keys(api, { ...period, alert_types: ['DeviceAlert'] }), [])
    assert.deepEqual(await fixture.keys(api, { ...period, search: 'ABOUT W3' }), ['w3'])
    assert.deepEqual(await fixture.keys(api, { ...period, search: 'w%' }), [])
  })

  it('are cleared once, with a reason, by users with write permission for their scope', async () => {
    const sec = await fixture.raise('c sec')
    const ops = await fixture.raise('c ops', { alert_scopes: ['ops'] })
    const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    const clerk = await fixture.person('Ops clerk')
    const clear = (api: Client) =>
      api.clearAlerts({ body: { alert_references: [sec, unknown, ops], cleared_reason: 'looked into' } })
    assert.deepEqual(await only(clear(clerk)), ['NoMatchingRecord', 'NoMatchingRecord', 'Ok'])
    const admin = await fixture.person('Account Administrator')
    assert.deepEqual(await only(clear(admin)), ['Ok', 'NoMatchingRecord', 'NotTriggered'])
    const alert = await admin.readAlert({ params: { alert_reference: ops } })
    assert.equal(alert.alert_state, 'Cleared')
    assert.equal(alert.cleared_reason, 'looked into')
    assert.equal(alert.cleared_by, clerk.name)
    assert.ok(alert.cleared_at)
    assert.deepEqual(await fixture.keys(admin, { search: 'about c ', states: ['Triggered'] }), [])
    const logged = await fixture.owner(
      `select from portal_activities where action = 'alerts:clear' and parameters like '%looked into%' and is_allowed`,
    )
    assert.equal(logged.length, 2)
  })

  it('are cleared and dismissed as all that match a filter, as far as the user may', async () => {
    const sec = await fixture.raise('set sec')
    const ops = [
      await fixture.raise('set ops 1', { alert_scopes: ['ops'] }),
      await fixture.raise('set ops 2', { alert_scopes: ['ops'] }),
    ]
    const query = { search: 'about set ', is_folded: true }
    const [clerk, admin] = [await fixture.person('Ops clerk'), await fixture.person('Account Administrator')]
    const dismissed = await admin.dismissAlerts({ query, body: { all: true } })
    assert.deepEqual(
      dismissed.alerts.map(({ alert_reference, status }) => [alert_reference, status]).toSorted(),
      [sec, ...ops].toSorted().map((each) => [each, 'Ok']),
    )
    assert.deepEqual(await fixture.keys(admin, { search: 'about set ', is_dismissed: false }), [])
    const clear = (api: Client) =>
      api.clearAlerts({ query, body: { cleared_reason: 'seen as a set', all: true } })
    assert.deepEqual(await only(clear(clerk)), ['Ok', 'Ok'], 'the clerk does not see the other scope')
    assert.deepEqual(await clear(admin), { alerts: [{ alert_reference: sec, status: 'Ok' }], is_cut: false })
    const [entry] = await fixture.owner<{ facts: object }>(
      `select parameters::jsonb -> 'facts' as facts from portal_activities
       where action = 'alerts:clear' order by log_id desc limit 1`,
    )
    assert.deepEqual(entry?.facts, { alerts: 1 })
  })

  it('are dismissed for each user alone, until they trigger again', async () => {
    const alert_reference = await fixture.raise('d')
    const [ann, ben] = [
      await fixture.person('Account Administrator'),
      await fixture.person('Account Administrator'),
    ]
    await fixture.owner(`update portal_sessions set display_name = 'Ann Archer' where user_reference = $1`, [
      ann.name,
    ])
    const body = { alert_references: [alert_reference] }
    const count = async (api: Client) =>
      (await api.readAlertSummary({})).data.reduce((sum, row) => sum + row.count, 0)
    const before = await count(ann)
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['Ok'])
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['Ok'])
    assert.deepEqual([await count(ann), await count(ben)], [before - 1, before])
    assert.deepEqual(
      await fixture.keys(ann, { search: 'about d', is_dismissed: 'true' } as unknown as AlertQuery),
      ['d'],
    )
    assert.deepEqual(
      await fixture.keys(ben, { search: 'about d', is_dismissed: 'true' } as unknown as AlertQuery),
      [],
    )
    const read = (api: Client) => api.readAlert({ params: { alert_reference } })
    assert.deepEqual([(await read(ann)).is_dismissed, (await read(ben)).is_dismissed], [true, false])
    const whole = await read(ben)
    assert.deepEqual([whole.dismissed_by, whole.occurrences.length], [ann.name, 1])
    assert.equal(whole.dismissed_by_name, 'Ann Archer')
    const page = await ben.listAlerts({ query: { search: 'about d' } })
    assert.deepEqual(page.data, [whole], 'the list has all of it')
    await fixture.raise('d')
    assert.equal(
      (await read(ann)).is_dismissed,
      true,
      'a further occurrence of what is known changes nothing',
    )
    await ben.clearAlerts({ body: { ...body, cleared_reason: 'done' } })
    assert.deepEqual(await only(ann.dismissAlerts({ body })), ['NotTriggered'])
    await fixture.raise('d')
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

  it('of one scope and kind fold into an incident, as far as the reader reaches, until all are cleared', async () => {
    const silent = (device_reference: string, change: Partial<AlertEvent> = {}) =>
      fixture.raise(`silent ${device_reference}`, {
        alert_scopes: ['ops'],
        text: 'device_silent',
        values: { device_reference, unseen: '30' },
        ...change,
      })
    const first = await silent('f1', { now: 3000, group_id: fixture.group('North') })
    await silent('f2', { now: 3001, group_id: fixture.group('North'), alert_severity: 'High' })
    const account = await silent('f3', { now: 3002 })
    const gap = { device_reference: 'f4', device_user_reference: 'u', services: 'calls' }
    for (const text of ['capture_silent', 'capture_no_sim'] as const)
      await fixture.raise(text, { alert_scopes: ['ops'], text, values: gap, now: 3003 })
    for (const subject of ['Storage', 'Battery'])
      await fixture.raise(subject, {
        alert_scopes: ['ops'],
        text: 'device_reports',
        values: { subject, message: 'm', device_reference: 'f5' },
        now: 3004,
      })
    const [admin, north] = [
      await fixture.person('Account Administrator'),
      await fixture.person('Account Administrator', 'acme', ['North']),
    ]
    const period = { from: '1970-01-01', to: '1970-01-01', scopes: ['ops' as const] }
    const folded = async (api: Client, query: AlertQuery = {}) => {
      const rows = await everyRow((paging) =>
        api.listAlerts({ query: { ...period, is_folded: true, limit: 2, ...query, ...paging } }),
      )
      return rows
        .map(
          ({ alert_key, incident }) =>
            `${alert_key}: ${incident?.incident_kind.replace(/-.*/, '')} ${incident?.alert_count}`,
        )
        .filter((row) => !/ w\d|^w\d/.test(row))
    }
    assert.deepEqual(await folded(admin), [
      'Battery: device_reports 1',
      'Storage: device_reports 1',
      'capture_no_sim: capture 2',
      'silent f3: device_silent 3',
    ])
    assert.deepEqual(await folded(north), ['silent f2: device_silent 2'])
    const kind = { ...period, incident_kinds: ['device_silent'], states: ['Triggered' as const] }
    const [row] = await everyRow((paging) =>
      admin.listAlerts({ query: { ...kind, is_folded: true, ...paging } }),
    )
    assert.deepEqual(row?.incident, {
      incident_kind: 'device_silent',
      alert_count: 3,
      occurrence_count: 3,
      alert_severity: 'High',
      triggered_at: 3000,
    })
    assert.deepEqual(await fixture.keys(admin, kind), ['silent f3', 'silent f2', 'silent f1'])
    const total = await admin.listAlerts({ query: { ...kind, is_folded: true, type: 'total' } })
    assert.deepEqual(total, { total: 1 })
    const bell = async (api: Client) =>
      (await api.readAlertSummary({ query: { is_folded: true } })).data.find(
        ({ scope, severity }) => scope === 'ops' && severity === 'High',
      )?.count
    const before = (await bell(admin)) ?? 0
    assert.equal(await bell(north), 1)
    await silent('f2', { now: 3005, alert_severity: 'High' })
    assert.equal(await bell(admin), before, 'a further alert of an incident is no second incident')
    await admin.clearAlerts({ body: { alert_references: [first, account], cleared_reason: 'seen' } })
    await silent('f1', { now: 3006 })
    const [again] = await everyRow((paging) =>
      admin.listAlerts({ query: { ...kind, is_folded: true, ...paging } }),
    )
    assert.deepEqual([again?.incident?.alert_count, again?.incident?.triggered_at], [2, 3001])
    assert.equal(again?.first_occurrence, 3000)
    assert.ok(
      (await folded(admin)).includes('silent f3: device_silent 1'),
      'a cleared alert is a row of its own',
    )
  })

  it('name and link their related entities only when the reader may see them', async () => {
    const admin = await fixture.person('Account Administrator')
    const manager = await fixture.person('Compliance Manager')
    const links = async (api: Client, alert_reference: string) =>
      (await api.readAlert({ params: { alert_reference } })).related_entities.map(
        ({ page_link }) => page_link,
      )
    const alert_reference = await fixture.raise('l', {
      alert_scopes: ['ops'],
      related_entities: [
        { entity_id: 'no such payload', entity_type: 'Payload' },
        { entity_id: 'a b&c', entity_type: 'PortalUser' },
        { entity_id: 'R1', entity_type: 'SupportAccessRequest' },
        { entity_id: 'd1', entity_type: 'Device' },
        { entity_id: 'users', entity_type: 'Device' },
        { entity_id: 'a/b', entity_type: 'DeviceUser' },
        { entity_id: 'P1', entity_type: 'Proposal' },
        { entity_id: 'D1', entity_type: 'Destruction' },
        { entity_id: 'policy', entity_type: 'Retention' },
      ],
    })
    assert.deepEqual(await links(admin, alert_reference), [
      undefined,
      '/dashboard/account/audit?users=a%20b%26c',
      '/dashboard/account/support-access/R1',
      '/dashboard/devices/d1',
      '/dashboard/devices?reference=users',
      '/dashboard/devices/users/a%2Fb',
      '/dashboard/governance/approvals?preview=P1',
      '/dashboard/governance/destructions?destruction=D1',
      '/dashboard/governance/retention',
    ])
    const fleet = await fixture.person('Fleet Administrator')
    assert.deepEqual((await links(fleet, alert_reference)).slice(-3), [undefined, undefined, undefined])
    assert.deepEqual(await fixture.keys(admin, { search: 'a b&c' }), ['l'])
    const result = await admin.readAlert({ params: { alert_reference } })
    assert.match(result.related_entity_string, /^Payload no such payload, PortalUser a b&c, /)
    assert.deepEqual(
      result.related_entities.slice(2, 6).map(({ api_link }) => api_link),
      ['supportaccess/R1', 'devices/d1', 'devices/users', 'users/a%2Fb'].map(
        (path) => `/admin/v1/api/acme/${path}`,
      ),
    )
    const reported = await fixture.raise('raised for a phone', {
      text: 'device_reports',
      values: { device_reference: 'd1', subject: 'S', message: 'M' },
      related_entities: ['d1', 'users'].map((entity_id) => ({ entity_id, entity_type: 'Device' as const })),
    })
    assert.deepEqual(await links(admin, reported), [
      '/dashboard/devices/d1?tab=logs',
      '/dashboard/devices?reference=users&tab=logs',
    ])
    const store = (payload_type: PayloadType) =>
      storePayload(fixture.server.ctx, { client: 'acme', group: 'North', payload_type })
    const [message, photo, diagnosis] = [await store('SMS'), await store('Photo'), await store('Diagnostics')]
    const about = await fixture.raise('l payloads', {
      related_entities: [message, photo, diagnosis].map((entity_id) => ({
        entity_id,
        entity_type: 'Payload' as const,
      })),
    })
    assert.deepEqual(await links(manager, about), [
      `/dashboard/services/messages/${message}`,
      `/dashboard/services/photos/${photo}`,
      `/dashboard/services/diagnostics?preview=${diagnosis}`,
    ])
    const [read] = (await manager.readAlert({ params: { alert_reference: about } })).related_entities
    assert.equal(read?.api_link, `/client/v1/api/payloads/${message}?client=acme`)
    assert.ok(read?.entity_subtype, 'the payload type')
    assert.deepEqual(await links(admin, about), [undefined, undefined, undefined])
    const [phone] = await fixture.server.sql<{ device_reference: string }>(
      `update devices v set model = 'Pixel 10' from payloads p
       where p.payload_reference = $1 and v.device_id = p.device_id returning v.device_reference`,
      [message],
    )
    const named = await fixture.raise('names', {
      alert_scopes: ['ops'],
      related_entities: [
        { entity_id: phone?.device_reference ?? '', entity_type: 'Device' },
        { entity_id: 'Harriet Cole', entity_type: 'DeviceUser' },
      ],
    })
    const namesTo = async (api: Client) =>
      (await api.readAlert({ params: { alert_reference: named } })).related_entities.map(
        ({ entity_name }) => entity_name,
      )
    assert.deepEqual(await namesTo(admin), ['Pixel 10', 'Harriet Cole'])
    assert.deepEqual(await namesTo(await fixture.person('Ops clerk')), [undefined, undefined])
  })
})

/** An alert for the client and the provider, each in its own list. */
const OPERATIONAL = { alert_scopes: ['ops'], alert_targets: ['client', 'admin'] } as const

describe('alerts of the provider', () => {
  let dave: NamedClient
  before(async () => {
    dave = await fixture.person('Provider Administrator', 'admin')
  })

  const listed = async (query: Parameters<Client['listAlertsOfClients']>[0]['query'] = {}) => {
    const answer = await dave.listAlertsOfClients({ query })
    assert.ok('data' in answer)
    return answer.data
  }
  const clientsLog = (of: string) =>
    fixture.owner<{ action: string; user_reference: string }>(
      `select action, user_reference from portal_activities where client_id = $1 and action like 'internal%'`,
      [fixture.client(of)],
    )

  it('are the operational alerts of all clients, never security alerts', async () => {
    await fixture.raise('i ops', OPERATIONAL)
    const sec = await fixture.raise('i sec')
    await fixture.raise('i globex', OPERATIONAL, 'globex')
    const rows = await listed({ search: 'about i ' })
    assert.deepEqual(rows.map((row) => [row.client, row.alert_key]).sort(), [
      ['acme', 'i ops'],
      ['globex', 'i globex'],
    ])
    assert.deepEqual((await listed({ search: 'about i ', clients: ['globex'] })).length, 1)
    assert.deepEqual(
      await dave.listAlertsOfClients({ query: { search: 'about i ', clients: ['globex'], type: 'total' } }),
      { total: 1 },
    )
    await assert.rejects(
      dave.readAlertOfClient({ params: { client: 'acme', alert_reference: sec } }),
      code('not_found'),
    )
    const body = { alert_references: [sec], cleared_reason: 'hidden' }
    const clearing = dave.clearAlertsOfClient({ params: { client: 'acme' }, body })
    assert.deepEqual(await only(clearing), ['NoMatchingRecord'])
    const page = await dave.listAlertsOfClients({ query: { search: 'about i ', limit: 1 } })
    assert.ok(page.last_key)
    const next = await listed({ search: 'about i ', limit: 1, last_key: page.last_key })
    assert.notEqual(next[0]?.alert_key, page.data[0]?.alert_key)
  })

  it('can be cleared and dismissed, which the client’s own audit log records', async () => {
    const alert_reference = await fixture.raise('j', OPERATIONAL)
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
    assert.ok(log.some((row) => row.action === 'internal.alerts:dismiss' && row.user_reference === dave.name))
    assert.ok(log.some((row) => row.action === 'internal.alerts:clear' && row.user_reference === dave.name))
    assert.deepEqual(
      await fixture.owner(
        `select alert_target, alert_state from alerts where alert_key = 'j' order by alert_target`,
      ),
      [
        { alert_target: 'admin', alert_state: 'Cleared' },
        { alert_target: 'client', alert_state: 'Triggered' },
      ],
      'what the provider has dealt with still waits for the client',
    )
  })

  it('are sent as notifications to all or some clients and disappear when they expire', async () => {
    const expires_after = fixture.server.ctx.now() + 1000
    const body = { scope: 'ops', severity: 'Low', message: 'Maintenance on Sunday', expires_after } as const
    const { clients } = await dave.notifyClients({ body })
    assert.deepEqual(clients, ['acme', 'globex'])
    await dave.notifyClients({ body })
    const admin = await fixture.person('Account Administrator')
    const query = { alert_types: ['Notification'] } as const
    const shown = async () => {
      const page = await admin.listAlerts({ query: { alert_types: ['Notification'] } })
      return page.data.map(({ alert_message, occurrence_count }) => [alert_message, occurrence_count])
    }
    assert.deepEqual(await shown(), [['Maintenance on Sunday', 2]])
    assert.ok((await clientsLog('globex')).some(({ action }) => action === 'internal.alerts:notify'))
    await fixture.owner('update alerts set expires_after = $1 where alert_type = $2', [
      fixture.server.ctx.now(),
      'Notification',
    ])
    assert.deepEqual(await shown(), [])
    const refused = { ...body, message: 'for one', clients: ['globex', 'unknown'] }
    await assert.rejects(dave.notifyClients({ body: refused }), code('not_found'))
    await assert.rejects(dave.notifyClients({ body: { ...body, expires_after: 1 } }), code('invalid_input'))
    assert.deepEqual(await listed({ ...query, alert_types: ['Notification'], search: 'for one' }), [])
    assert.deepEqual((await dave.notifyClients({ body: { ...refused, clients: ['globex'] } })).clients, [
      'globex',
    ])
    const { expires_after: _end, ...lasting } = body
    const sec = { ...lasting, scope: 'sec', message: 'Rotate your keys' } as const
    await dave.notifyClients({ body: sec })
    assert.equal(
      (await listed({ search: 'Rotate' })).length,
      2,
      'what the provider sent it sees, in any scope',
    )
  })

  it('are hidden from the client when only the provider is the target', async () => {
    const alert_reference = await fixture.raise('k', {
      alert_scopes: ['ops', 'sec'],
      alert_targets: ['admin'],
    })
    const admin = await fixture.person('Account Administrator')
    assert.deepEqual(await fixture.keys(admin, { search: 'about k' }), [])
    await assert.rejects(admin.readAlert({ params: { alert_reference } }), code('not_found'))
    assert.equal((await listed({ search: 'about k' })).length, 2)
  })
})

const raiseEvent = (change: Partial<AlertEvent>, client_id = fixture.client('acme')) =>
  fixture.server.ctx.db.write(client_id, (tx) =>
    raiseAlert(tx, {
      alert_scopes: ['ops'],
      alert_type: 'PayloadAlert',
      alert_key: 'k',
      text: 'notification',
      values: { message: 'message' },
      alert_severity: 'Medium',
      now: 100,
      ...change,
    }),
  )
const alerts = (key: string) =>
  fixture.owner<Record<string, unknown>>(
    'select * from alerts where alert_key = $1 order by client_id, alert_target, alert_scope',
    [key],
  )

const occurrence = (time: number, message: string) => ({
  time,
  message,
  text: { code: 'notification', values: { message } },
})

test('one alert collects its occurrences with the highest severity and restarts after clearing', async () => {
  await raiseEvent({ alert_key: 'raised a', alert_severity: 'Low' })
  await raiseEvent({ alert_key: 'raised a', alert_severity: 'High', now: 200 })
  await raiseEvent({ alert_key: 'raised a', alert_severity: 'Medium', now: 300, values: { message: 'last' } })
  const [alert, ...more] = await alerts('raised a')
  assert.deepEqual(more, [])
  assert.equal(alert?.alert_severity, 'High')
  assert.deepEqual(alert?.occurrences, [
    occurrence(100, 'message'),
    occurrence(200, 'message'),
    occurrence(300, 'last'),
  ])
  await fixture.owner(`update alerts set alert_state = 'Cleared' where alert_key = 'raised a'`)
  await raiseEvent({ alert_key: 'raised a', alert_severity: 'Low', now: 400 })
  const [again] = await alerts('raised a')
  assert.deepEqual([again?.alert_state, again?.alert_severity], ['Triggered', 'Low'])
  assert.equal(again?.alert_reference, alert?.alert_reference)
})

test('an alert counts all occurrences, also simultaneous ones, and keeps the last hundred', async () => {
  for (let i = 0; i < 11; i++)
    await Promise.all(Array.from({ length: 10 }, () => raiseEvent({ alert_key: 'raised b', now: i })))
  const [alert] = await alerts('raised b')
  assert.equal(Number(alert?.occurrence_count), 110)
  assert.equal((alert?.occurrences as unknown[] | undefined)?.length, 100)
})

test('each scope and each target has an alert with its own state', async () => {
  const both = {
    alert_key: 'raised d',
    alert_scopes: ['ops', 'sec'],
    alert_targets: ['client', 'admin'],
  } as const
  await raiseEvent(both)
  await fixture.owner(
    `update alerts set alert_state = 'Cleared' where alert_key = 'raised d' and alert_target = 'admin'`,
  )
  await raiseEvent({ ...both, alert_scopes: ['ops'] })
  assert.deepEqual(
    (await alerts('raised d')).map((row) => [
      row.alert_target,
      row.alert_scope,
      row.alert_state,
      Number(row.occurrence_count),
    ]),
    [
      ['admin', 'ops', 'Triggered', 2],
      ['admin', 'sec', 'Cleared', 1],
      ['client', 'ops', 'Triggered', 2],
      ['client', 'sec', 'Triggered', 1],
    ],
  )
})

test('each transient event raises a new alert', async () => {
  for (let i = 0; i < 3; i++) await raiseEvent({ alert_key: 'raised e', alert_key_type: 'Transient' })
  const found = await fixture.owner<{ occurrence_count: string }>(
    `select occurrence_count from alerts where alert_key like 'raised e %'`,
  )
  assert.deepEqual(
    found.map((row) => Number(row.occurrence_count)),
    [1, 1, 1],
  )
})
