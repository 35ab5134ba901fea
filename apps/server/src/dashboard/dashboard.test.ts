import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { FIRST_STEPS } from '@custodia/contract'
import { readFleetCounts } from '../device-records/counts-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { openPerson } from '../testing/access-fixture.ts'
import { demoPhone } from '../testing/phones.ts'
import { seeded } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { testContext } from '../testing/test-context.ts'
import { findOpenSteps } from './store.ts'

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
    (await openPerson(server, client, name)).api.readDashboard({})

  it('counts the whole fleet for a user who sees all groups', async () => {
    const { last_visit_at, ...counts } = await read('acme', 'alice')
    assert.equal(last_visit_at, null, 'a first visit counts nothing as new')
    assert.deepEqual(counts, {
      devices: { activated: 3, pending: 0, deactivated: 1, legacyActivated: 0, legacyDeactivated: 0 },
      device_users: { onboarded: 7, offboarded: 1, legacyOnboarded: 1, legacyOffboarded: 0 },
      open_steps: ['recordings', 'transfers'],
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
      open_steps: null,
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
       select client_id, device_user_id, group_id, service, 'no_device', 1000, null from device_users, unnest('{calls,sms}'::text[]) service
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
    assert.deepEqual(all.open_steps, ['transfers'], 'the first recording is there')
    const { faults } = await read('acme', 'bob')
    assert.deepEqual(
      faults?.map(({ altered, failed }) => altered + failed),
      [2, 2],
      'two phones are in his group',
    )
    assert.deepEqual((await read('globex', 'gina')).faults, [])
  })
})

const fixture = await testContext()
after(() => fixture.close())
const [client] = await fixture.sql<{ client_id: number }>(
  `insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0) returning client_id`,
)
assert.ok(client)
const client_id = client.client_id
const made = await fixture.sql<{ group_id: number }>(
  `insert into groups (client_id, group_reference, updated_at, updated_by)
   select $1, 'Group ' || i, 0, 'test' from generate_series(1, 4) i returning group_id`,
  [client_id],
)
const groups = made.map(({ group_id }) => group_id)
await fixture.sql(
  `insert into device_users (client_id, device_user_reference, group_id, is_legacy, updated_at, updated_by)
   select $1, 'person ' || i, $2, i % 4 = 0, 0, 'test' from generate_series(1, 12) i`,
  [client_id, groups[0]],
)

/** What the kept counts should be, counted from the rows. */
async function recount(within: readonly number[]) {
  const [row] = await fixture.sql<{ counts: unknown }>(
    `with d as (select * from devices where client_id = $1 and group_id = any($2) and deleted_at is null),
      u as (select * from device_users where client_id = $1 and group_id = any($2) and deleted_at is null),
      a as (select app_version as version, count(*)::int as count from d where not is_deactivated and app_version is not null group by 1),
      o as (select os_version as version, count(*)::int as count from d where not is_deactivated and os_version is not null group by 1)
     select json_build_object(
       'devices', (select json_build_object(
         'activated', count(*) filter (where not is_legacy and not is_deactivated and activated_at is not null),
         'pending', count(*) filter (where not is_legacy and not is_deactivated and activated_at is null),
         'deactivated', count(*) filter (where not is_legacy and is_deactivated),
         'legacyActivated', count(*) filter (where is_legacy and not is_deactivated),
         'legacyDeactivated', count(*) filter (where is_legacy and is_deactivated)) from d),
       'device_users', (select json_build_object(
         'onboarded', count(*) filter (where is_active and not is_legacy),
         'offboarded', count(*) filter (where not is_active and not is_legacy),
         'legacyOnboarded', count(*) filter (where is_active and is_legacy),
         'legacyOffboarded', count(*) filter (where not is_active and is_legacy)) from u),
       'silences', (select json_build_object(
         'silent', count(*) filter (where silence = 'silent'),
         'long_silent', count(*) filter (where silence = 'long_silent'),
         'silent_but_alive', count(*) filter (where silence = 'silent_but_alive')) from d),
       'app_versions', (select coalesce(json_agg(a order by count desc, version collate "C"), '[]') from a),
       'os_versions', (select coalesce(json_agg(o order by count desc, version collate "C"), '[]') from o)) as counts`,
    [client_id, within],
  )
  return row?.counts
}

const read = (within: readonly number[] | 'all') =>
  fixture.context.db.read(client_id, (q) => readFleetCounts(q, within))

const change = (statement: string, values: unknown[]) =>
  fixture.context.db.write(client_id, (tx: Tx) => tx.query(statement, values))

test('each first step of a client ends with what it asks for', async () => {
  const [empty] = await fixture.sql<{ client_id: number }>(
    // The provider chooses claims when it creates a client: no user has tried them yet.
    `insert into clients (client, client_name, account_key, created_at, claim_mapping) values ('empty', 'Empty', '', 0, '{}') returning client_id`,
  )
  assert.ok(empty)
  const open = () => fixture.context.db.read(empty.client_id, findOpenSteps)
  const left = new Set<string>(FIRST_STEPS)
  assert.deepEqual(await open(), [...left])
  for (const [step, statement] of Object.entries({
    identity: `update clients set mapping_updated_at = 1, mapping_updated_by = 'test' where client_id = $1`,
    roles: `insert into roles (client_id, role_reference, document, updated_at, updated_by) values ($1, 'Desk', '{}', 0, 'test')`,
    people: `insert into portal_people (client_id, user_reference, issuer, subject, created_at)
      select $1, 'person ' || i, 'embedded', i, 0 from generate_series(1, 2) i`,
    groups: `insert into groups (client_id, group_reference, updated_at, updated_by)
      select $1, 'Group ' || i, 0, 'test' from generate_series(1, 2) i`,
    device_users: `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
      select $1, 'person', min(group_id), 0, 'test' from groups where client_id = $1`,
    devices: `insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
      select $1, 'phone', min(group_id), 0, 'test' from groups where client_id = $1`,
    retention: `insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
      values ($1, 1, '[]', '[]', false, 0, 'test')`,
    alert_mails: `insert into alert_subscriptions (client_id, subscription_id, user_reference, language, low, medium, high, digest_hour, updated_at)
      values ($1, 'one', 'alice', 'en-GB', 'never', 'never', 'daily', 7, 0)`,
  })) {
    await fixture.sql(statement, [empty.client_id])
    left.delete(step)
    assert.deepEqual(await open(), [...left], step)
  }
})

test('stored fleet counts equal a recount after concurrent changes to devices and device users', async () => {
  const r = seeded(11)
  const one = <T>(of: readonly T[]): T => of[Math.floor(r() * of.length)] as T
  const yes = () => r() < 0.5
  const insert = (i: number) =>
    change(
      `insert into devices (client_id, device_reference, group_id, is_legacy, is_deactivated, activated_at, app_version, os_version, updated_at, updated_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 0, 'test')`,
      [
        client_id,
        `phone ${i}`,
        one(groups),
        yes(),
        yes(),
        yes() ? 1 : null,
        one(['1', '2', null]),
        one(['16', null]),
      ],
    )
  const acts = [
    () =>
      change('update devices set group_id = $2 where device_reference = $1', [
        `phone ${one(all)}`,
        one(groups),
      ]),
    () =>
      change(
        `update devices set is_deactivated = $2, activated_at = coalesce(activated_at, $3), app_version = $4 where device_reference = $1`,
        [`phone ${one(all)}`, yes(), yes() ? 5 : null, one(['1', '2', '3'])],
      ),
    () =>
      change('update devices set deleted_at = $2, is_legacy = false where device_reference = $1', [
        `phone ${one(all)}`,
        yes() ? 7 : null,
      ]),
    () =>
      change('update devices set silence = $2 where device_reference = $1', [
        `phone ${one(all)}`,
        one(['silent', 'silent_but_alive', null]),
      ]),
    () => change('update devices set last_seen = 9 where device_reference = $1', [`phone ${one(all)}`]),
    () =>
      change('delete from devices where device_reference = $1 and device_id % 3 = 0', [`phone ${one(all)}`]),
    () =>
      change(
        'update device_users set is_active = $2, group_id = $3, deleted_at = $4 where device_user_id % 3 = $1',
        [Math.floor(r() * 3), yes(), one(groups), yes() ? 3 : null],
      ),
  ]
  const all = Array.from({ length: 60 }, (_, i) => i)
  for (const i of all) await insert(i)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 40; i++) await one(acts)()
    }),
  )
  assert.deepEqual(await read('all'), await recount(groups))
  for (const within of [[], groups.slice(0, 1), groups.slice(1, 3), groups])
    assert.deepEqual(await read(within), await recount(within))
  const { app_versions } = await read('all')
  assert.ok(app_versions.length > 1, 'the phones differ')
})

test('a recount corrects fleet counts that were changed without triggers', async () => {
  const before = await read('all')
  await fixture.sql('update fleet_counts set count = count + 5')
  assert.notDeepEqual(await read('all'), before)
  const { owner } = fixture.context.db
  await owner.query(`select set_config('custodia.client_id', $1, false)`, [String(client_id)])
  await owner.query('select recount_fleet($1)', [client_id])
  assert.deepEqual(await read('all'), before)
})
