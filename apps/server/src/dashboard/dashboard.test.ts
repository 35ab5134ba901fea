import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { demoPhone } from '../testing/phones.ts'
import { openPerson } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'

describe('the dashboard', () => {
  let server: TestServer
  before(async () => {
    server = await testServer()
    const { dataDir } = server.ctx.config
    // Two phones in North, one in South, one in Trading Desk that was deactivated since.
    for (const [i, name] of ['Harriet', 'Imran', 'João', 'Marcus'].entries()) {
      const phone = await demoPhone(dataDir, server.url, name, { spare: i })
      await phone.authenticate()
    }
    const { owner } = server.ctx.db
    const of = (email: string) =>
      `(select device_user_id from device_users where email = '${email}@acme.example')`
    await owner.query(
      `update devices set is_deactivated = true where device_user_id = ${of('marcus.reid')};
       update devices set app_version = '4.11.0', os_version = '15' where device_user_id = ${of('joao.almeida')};
       update device_users set is_active = false where email = 'molly.pearce@acme.example';
       update device_users set is_legacy = true where email = 'nadia.volk@acme.example'`,
    )
  })
  after(() => server?.close())

  const read = async (client: string, name: string) =>
    (await openPerson(server, client, name)).api.readDashboard({ query: {} })

  it('counts the whole fleet for a user who sees all groups', async () => {
    const { last_visit_at, ...counts } = await read('acme', 'alice')
    assert.equal(last_visit_at, null, 'a first visit counts nothing as new')
    assert.deepEqual(counts, {
      devices: { activated: 3, pending: 0, deactivated: 1, legacyActivated: 0, legacyDeactivated: 0 },
      device_users: { onboarded: 7, offboarded: 1, legacyOnboarded: 1, legacyOffboarded: 0 },
      waiting_devices: 0,
      waiting_proposals: 0,
      waiting_destructions: 0,
      // The fixture has one request.
      data_requests: { open: 1, overdue: 0 },
      capture_gaps: 0,
      faults: [],
      silences: { silent: 0, long_silent: 0, silent_but_alive: 0 },
      app_versions: [
        { version: '4.12.0', count: 2 },
        { version: '4.11.0', count: 1 },
      ],
      os_versions: [
        { version: '16', count: 2 },
        { version: '15', count: 1 },
      ],
    })
  })

  it('counts one group for a user who is limited to it', async () => {
    const { last_visit_at: _, ...counts } = await read('acme', 'bob')
    assert.deepEqual(counts, {
      devices: { activated: 2, pending: 0, deactivated: 0, legacyActivated: 0, legacyDeactivated: 0 },
      device_users: { onboarded: 2, offboarded: 1, legacyOnboarded: 0, legacyOffboarded: 0 },
      waiting_devices: null,
      waiting_proposals: null,
      waiting_destructions: null,
      data_requests: null,
      capture_gaps: null,
      faults: [],
      silences: { silent: 0, long_silent: 0, silent_but_alive: 0 },
      app_versions: [{ version: '4.12.0', count: 2 }],
      os_versions: [{ version: '16', count: 2 }],
    })
  })

  it('shows the time of the user’s previous visit', async () => {
    const first = await read('globex', 'gina')
    const [{ rotated_at = 0 } = {}] = await server.sql<{ rotated_at: number }>(
      `update portal_sessions set created_at = created_at - 1000, rotated_at = rotated_at - 900
         where user_reference = 'gina' returning rotated_at`,
    )
    const second = await read('globex', 'gina')
    assert.deepEqual([first.last_visit_at, second.last_visit_at], [null, Number(rotated_at)])
    // People of that name in another client, and other people, have no visit.
    assert.equal((await read('acme', 'bob')).last_visit_at === rotated_at, false)
  })

  it('counts faulty payloads, capture gaps and requests within the caller’s reach', async () => {
    await server.ctx.db.owner.query(
      `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, announced_at,
         updated_at, failure)
       select d.client_id, 'faulty-' || d.device_id || '-' || x.n, x.service, x.type, x.state, 1000 + x.n, d.group_id, d.device_id, 1000, 1000, x.failure
       from devices d cross join (values (1, 4, 8, 7, 'tampered_data'), (2, 1, 1, 7, 'wrong_checksum'), (3, 1, 1, 6, 'malware_found'))
         as x (n, service, type, state, failure);
       insert into capture_gaps (client_id, device_user_id, group_id, service, reason, from_at, to_at)
       select client_id, device_user_id, group_id, 'calls', 'no_phone', 1000, null from device_users
         where email in ('harriet.cole@acme.example', 'joao.almeida@acme.example');
       insert into data_requests (client_id, data_request_id, kind, law, subject_type, subject, received_at, due_at, opened_at, opened_by)
       select client_id, '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'Access', 'GDPR', 'Number', '+44 1', 1, 2, 1, 'alice' from clients where client = 'acme'`,
    )
    const all = await read('acme', 'alice')
    assert.deepEqual(all.faults, [
      { service: 'calls', altered: 0, quarantined: 4, failed: 4 },
      { service: 'photos', altered: 4, quarantined: 0, failed: 0 },
    ])
    assert.deepEqual([all.capture_gaps, all.data_requests], [2, { open: 2, overdue: 1 }])
    const { faults } = await read('acme', 'bob')
    assert.deepEqual(
      faults?.map(({ altered, failed }) => altered + failed),
      [2, 2],
      'two phones are in his group',
    )
    assert.deepEqual((await read('globex', 'gina')).faults, [])
  })

  it('counts nothing of another client', async () => {
    const { devices, device_users, app_versions } = await read('globex', 'gina')
    assert.deepEqual([devices.activated, device_users.onboarded, app_versions], [0, 3, []])
  })

  it('returns 403 to users without a role', async () => {
    await assert.rejects(
      read('acme', 'carol'),
      (error) => error instanceof ApiProblem && error.status === 403,
    )
  })
})
