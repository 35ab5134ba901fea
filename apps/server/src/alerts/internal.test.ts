import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '@custodia/client'
import { type AlertFixture, alertFixture, code, type NamedClient, only } from '../testing/alert-fixture.ts'

/** Both sides are told of it, each in a list of their own. */
const OPERATIONAL = { alert_scopes: ['ops'], alert_targets: ['client', 'admin'] } as const

describe('alerts of the provider', () => {
  let fixture: AlertFixture
  let dave: NamedClient
  before(async () => {
    fixture = await alertFixture()
    dave = await fixture.person('Provider Administrator', 'admin')
  })
  after(() => fixture?.close())

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
      await dave.listAlertsOfClients({
        query: { search: 'about i ', clients: ['globex'], type: 'total' },
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
    const page = await dave.listAlertsOfClients({ query: { search: 'about i ', limit: 1 } })
    assert.ok('data' in page && page.last_key)
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
      assert.ok('data' in page)
      return page.data.map(({ alert_message, occurrence_count }) => [alert_message, occurrence_count])
    }
    assert.deepEqual(await shown(), [['Maintenance on Sunday', 2]])
    assert.ok((await clientsLog('globex')).some(({ action }) => action === 'internal.alerts:notify'))
    await fixture.owner('update alerts set expires_after = $1 where alert_type = $2', [
      fixture.server.ctx.now(),
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

  it('are not found by account administrators of clients', async () => {
    const admin = await fixture.person('Account Administrator')
    await assert.rejects(admin.listAlertsOfClients({ query: {} }), code('not_found'))
  })
})
