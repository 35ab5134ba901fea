import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '@custodia/client'
import type { PayloadType } from '@custodia/contract'
import { storePayload } from '../testing/stored-payload.ts'
import { type AlertQuery, type AlertFixture, alertFixture, code, only } from '../testing/alert-fixture.ts'

describe('alerts', () => {
  let fixture: AlertFixture
  before(async () => {
    fixture = await alertFixture()
  })
  after(() => fixture?.close())

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
    const walked: string[] = []
    let last_key: string | undefined
    do {
      const page = await api.listAlerts({ query: { ...period, limit: 2, ...(last_key ? { last_key } : {}) } })
      assert.ok('data' in page)
      walked.push(...page.data.map(({ alert_key }) => alert_key))
      last_key = page.last_key
    } while (last_key)
    assert.deepEqual(walked, ['w0', 'w4', 'w3', 'w2', 'w1'])
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

  it('are dismissed for each user alone, until they trigger again', async () => {
    const alert_reference = await fixture.raise('d')
    const [ann, ben] = [
      await fixture.person('Account Administrator'),
      await fixture.person('Account Administrator'),
    ]
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
    const page = await ben.listAlerts({ query: { search: 'about d' } })
    assert.deepEqual('data' in page && page.data, [whole], 'the list has all of it')
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

  it('link to the logs tab of the device when a device reported them', async () => {
    const alert_reference = await fixture.raise('raised for a phone', {
      text: 'phone_reports',
      values: { device_reference: 'd1', subject: 'S', message: 'M' },
      related_entities: [
        { entity_id: 'd1', entity_type: 'Device' },
        { entity_id: 'users', entity_type: 'Device' },
        { entity_id: 'ann', entity_type: 'DeviceUser' },
      ],
    })
    const links = async (role: string) => {
      const { related_entities } = await (
        await fixture.person(role)
      ).readAlert({ params: { alert_reference } })
      return related_entities.map(({ page_link }) => page_link)
    }
    assert.deepEqual(await links('Account Administrator'), [
      '/dashboard/devices/d1?tab=logs',
      '/dashboard/devices?reference=users&tab=logs',
      '/dashboard/devices/users/ann',
    ])
  })

  it('link to approvals and retention only for users who may read them', async () => {
    const alert_reference = await fixture.raise('waits', {
      alert_scopes: ['ops'],
      related_entities: [
        { entity_id: 'P1', entity_type: 'Proposal' },
        { entity_id: 'D1', entity_type: 'Destruction' },
        { entity_id: 'policy', entity_type: 'Retention' },
      ],
    })
    const links = async (role: string) => {
      const { related_entities } = await (
        await fixture.person(role)
      ).readAlert({ params: { alert_reference } })
      return related_entities.map(({ page_link }) => page_link)
    }
    assert.deepEqual(await links('Account Administrator'), [
      '/dashboard/governance/approvals?preview=P1',
      '/dashboard/governance/destructions?destruction=D1',
      '/dashboard/governance/retention',
    ])
    assert.deepEqual(await links('Fleet Administrator'), [undefined, undefined, undefined])
  })

  it('link to their related entities only when the reader may see them', async () => {
    const entities = [
      { entity_id: 'no such payload', entity_type: 'Payload' },
      { entity_id: 'a b&c', entity_type: 'PortalUser' },
      { entity_id: 'R1', entity_type: 'SupportAccessRequest' },
      { entity_id: 'd1', entity_type: 'Device' },
      { entity_id: 'users', entity_type: 'Device' },
      { entity_id: 'a/b', entity_type: 'DeviceUser' },
    ] as const
    const alert_reference = await fixture.raise('l', { related_entities: entities })
    const admin = await fixture.person('Account Administrator')
    const { related_entities } = await admin.readAlert({ params: { alert_reference } })
    assert.deepEqual(
      related_entities.map(({ page_link }) => page_link),
      [
        undefined,
        '/dashboard/account/audit?users=a%20b%26c',
        '/dashboard/account/support-access?preview=R1',
        '/dashboard/devices/d1',
        '/dashboard/devices?reference=users',
        '/dashboard/devices/users/a%2Fb',
      ],
    )
    assert.deepEqual(await fixture.keys(admin, { search: 'a b&c' }), ['l'])
    const result = await admin.readAlert({ params: { alert_reference } })
    assert.equal(
      result.related_entity_string,
      'Payload no such payload, PortalUser a b&c, SupportAccessRequest R1, Device d1, Device users, DeviceUser a/b',
    )
    assert.deepEqual([result.api_action, result.updated_by], [null, 'service'])
    assert.deepEqual(
      result.related_entities.slice(2).map(({ api_link }) => api_link),
      ['supportaccess/R1', 'devices/d1', 'devices/users', 'users/a%2Fb'].map(
        (path) => `/admin/v1/api/acme/${path}`,
      ),
    )
    const store = (payload_type: PayloadType) =>
      storePayload(fixture.server.ctx, { client: 'acme', group: 'North', payload_type })
    const [message, photo] = [await store('SMS'), await store('Photo')]
    const diagnosis = await store('Diagnostics')
    const payloads = [message, photo, diagnosis].map((entity_id) => ({
      entity_id,
      entity_type: 'Payload' as const,
    }))
    const about = await fixture.raise('l payloads', { related_entities: payloads })
    const links = async (api: Client) =>
      (await api.readAlert({ params: { alert_reference: about } })).related_entities.map(
        ({ page_link }) => page_link,
      )
    const page = `/dashboard/services/messages/${message}`
    assert.deepEqual(await links(await fixture.person('Compliance Manager')), [
      page,
      `/dashboard/services/photos/${photo}`,
      `/dashboard/services/diagnostics?preview=${diagnosis}`,
    ])
    const manager = await fixture.person('Compliance Manager')
    const [read] = (await manager.readAlert({ params: { alert_reference: about } })).related_entities
    assert.equal(read?.api_link, `/client/v1/api/payloads/${message}?client=acme`)
    assert.ok(read?.entity_subtype, 'the payload type')
    assert.deepEqual(
      await links(admin),
      [undefined, undefined, undefined],
      'who may not read it gets no link',
    )
  })
})
