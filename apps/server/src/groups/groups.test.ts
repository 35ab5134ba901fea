import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { ApiProblem } from '@custodia/client'
import { type GroupTag, type Permission, RESERVED_GROUP } from '@custodia/contract'
import {
  accessFixture,
  allow,
  getCode,
  openPerson,
  type Person,
  getProblem,
  getRows,
} from '../testing/access-fixture.ts'
import { untilBlocked } from '../testing/waits.ts'
import { listGroups } from './store.ts'

const fixture = await accessFixture()
after(() => fixture.close())

const save = (
  person: Person,
  group_reference: string,
  tags: GroupTag[],
  query: { confirm_lockout?: boolean } = {},
  how: { if_match?: string; if_none_match?: boolean } = {},
) => person.api.saveGroup({ params: { group_reference }, query, body: { tags } }, how)
const review = (person: Person, group_reference: string, tags: GroupTag[]) =>
  person.api.reviewGroup({ params: { group_reference }, body: { tags } })
const read = (person: Person, group_reference: string) =>
  person.api.readGroup({ params: { group_reference } })
const remove = (person: Person, group_reference: string, how: { if_match?: string } = {}) =>
  person.api.deleteGroup({ params: { group_reference } }, how)
const names = async (person: Person, query: Parameters<Person['api']['listGroups']>[0]['query']) => {
  const answer = await getRows(person.api.listGroups({ query }))
  return answer.map(({ group_reference }) => group_reference)
}
const tag = (key: string, value: string): GroupTag => ({ key, value })
const within = (actions: string[], names_matching: string[]): Permission => ({
  actions_matching: actions,
  conditions: [{ names_matching }],
})

describe('saving groups', () => {
  it('creates and replaces groups with any name and records the author', async () => {
    const name = 'Mesa #1/São Paulo? 100%'
    const made = await save(
      fixture.alice,
      name,
      [tag('region', 'South'), tag('floor', '2')],
      {},
      { if_none_match: true },
    )
    assert.deepEqual([made.group_reference, made.updated_by], [name, 'alice'])
    assert.deepEqual(made.tags, [tag('floor', '2'), tag('region', 'South')])
    assert.deepEqual(await read(fixture.alice, name), made)
    assert.equal(await getCode(save(fixture.alice, name, [], {}, { if_none_match: true })), 'already_exists')
    const { version } = made
    const changed = await save(fixture.alice, name, [tag('floor', '3')], {}, { if_match: version })
    assert.notEqual(changed.version, version)
    assert.equal((await getProblem(save(fixture.alice, name, [], {}, { if_match: version }))).status, 412)
    assert.equal(await getCode(remove(fixture.alice, name, { if_match: version })), 'changed_meanwhile')
    assert.deepEqual(await remove(fixture.alice, name, { if_match: changed.version }), {})
    assert.equal(await getCode(read(fixture.alice, name)), 'not_found')
  })

  it('gives missing required tags their default and rejects values that are not allowed', async () => {
    const define = (tag_values: string[], is_required: boolean) =>
      fixture.alice.api.saveTag({
        params: { tag_key: 'cost centre' },
        query: { force_update: true },
        body: { tag_values, is_required, default_value: is_required ? 'B' : null },
      })
    await define(['A', 'B'], true)
    assert.deepEqual((await save(fixture.alice, 'Fresh', [])).tags, [tag('cost centre', 'B')])
    assert.deepEqual((await save(fixture.alice, 'Fresh', [tag('cost centre', 'A')])).tags, [
      tag('cost centre', 'A'),
    ])
    const wrong = [tag('x', ''), tag('cost centre', 'C')]
    const { problems } = await review(fixture.alice, 'Fresh', wrong)
    assert.deepEqual(
      problems.map(({ path, code }) => [path, code]),
      [['tags.1.value', 'tag_value']],
      'counted as they were sent, not as they are kept',
    )
    const { code, faults } = await getProblem(save(fixture.alice, 'Fresh', wrong))
    assert.deepEqual([code, faults], ['invalid_input', problems])
    for (const second of ['y', 'z']) {
      const twice = [tag('x', 'y'), tag('cost centre', 'A'), tag('x', second)]
      assert.deepEqual(
        (await getProblem(save(fixture.alice, 'Fresh', twice))).faults.map(({ path, code }) => [path, code]),
        [['tags.2.key', 'tag_repeated']],
      )
    }
    await define([], false)
    await remove(fixture.alice, 'Fresh')
  })

  it('treats equivalent Unicode spellings as one name in paths, bodies and filters', async () => {
    const [nfc, nfd] = ['Café', 'Cafe\u0301']
    assert.notEqual(nfc, nfd)
    const made = await save(fixture.alice, nfd, [tag(`${nfd} key`, nfd)])
    assert.deepEqual([made.group_reference, made.tags], [nfc, [tag(`${nfc} key`, nfc)]])
    assert.equal(await getCode(save(fixture.alice, nfc, [], {}, { if_none_match: true })), 'already_exists')
    assert.equal((await read(fixture.alice, nfc)).version, (await read(fixture.alice, nfd)).version)
    for (const query of [{ search: nfd }, { tag_key: `${nfd} key` }, { tag_value: nfd }])
      assert.deepEqual(await names(fixture.alice, query), [nfc])
    assert.equal(await getCode(save(fixture.alice, nfc, [tag('t', nfc), tag('t', nfd)])), 'invalid_input')
    const defaults = await fixture.alice.api.readAccountDefaults({})
    await fixture.alice.api.saveAccountDefaults({
      body: { user_group: nfd, role: defaults.role, cidr_ranges: defaults.cidr_ranges },
    })
    assert.equal((await fixture.alice.api.readAccountDefaults({})).user_group, nfc)
    assert.equal(await getCode(remove(fixture.alice, nfd)), 'in_use')
    const { user_group, role, cidr_ranges } = defaults
    await fixture.alice.api.saveAccountDefaults({ body: { user_group, role, cidr_ranges } })
    assert.deepEqual(await remove(fixture.alice, nfd), {})
  })
})

describe('removing groups', () => {
  it('rejects a group that is in use and records the reason in the audit log', async () => {
    for (const name of ['North', 'Unassigned'])
      assert.equal(await getCode(remove(fixture.alice, name)), 'in_use')
    const rows = await fixture.sql<{ denial_reason: string }>(
      `select denial_reason from portal_activities where action = 'groups:delete' and status_code = 409 order by log_id`,
    )
    assert.deepEqual(
      rows.slice(-2).map((row) => row.denial_reason),
      ['in_use: device_users', 'in_use: account_defaults'],
    )
  })

  it('waits for a device user that gets the group, and the device user waits for the deletion', async () => {
    const { server, alice, sql } = fixture
    const client_id = await server.getId('acme')
    const create = (group: string) =>
      alice.api.createDeviceUser({
        params: { device_user_reference: `user of ${group}` },
        body: { group, services: [], email: null, first_name: null, surname: null },
      })
    /** What `call` meets that begins while a change of the group is not yet committed. */
    const meanwhile = async (group: string, change: string, call: () => Promise<unknown>) => {
      await save(alice, group, [])
      let code: Promise<unknown> | undefined
      await server.ctx.db.write(client_id, async (tx) => {
        await tx.query(change, [client_id, group])
        code = getCode(call())
        await untilBlocked(sql, 1)
      })
      return code
    }
    const add = `insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
      select client_id, 'newcomer', group_id, 0, 'test' from groups where client_id = $1 and group_reference = $2`
    assert.equal(await meanwhile('Brief', add, () => remove(alice, 'Brief')), 'in_use')
    const drop = 'delete from groups where client_id = $1 and group_reference = $2'
    assert.equal(await meanwhile('Gone', drop, () => create('Gone')), 'invalid_input')
  })
})

describe('the list of groups', () => {
  it('filters by tags', async () => {
    assert.deepEqual(await names(fixture.alice, { tag_key: 'region' }), ['North', 'South'])
    assert.deepEqual(await names(fixture.alice, { tag_key: 'region', tag_value: 'South' }), ['South'])
    assert.deepEqual(await names(fixture.alice, { tag_value: 'Trading' }), ['Trading Desk'])
    assert.deepEqual(await names(fixture.alice, { tag_key: 'region', tag_value: 'Trading' }), [])
    assert.deepEqual(await fixture.alice.api.listGroups({ query: { type: 'total', tag_key: 'region' } }), {
      total: 2,
    })
  })

  it('counts users and devices per service', async () => {
    await save(fixture.alice, 'Counted', [])
    await fixture.sql(`with g as (select client_id, group_id from groups where group_reference = 'Counted'),
      u as (insert into device_users (client_id, device_user_reference, group_id, services, expected_device_count, is_active,
          updated_at, updated_by)
        select client_id, name, group_id, services::text[], expected, active, 0, 'test' from g, (values
          ('with calls', '{calls,sms}', 2, true), ('with sms', '{sms}', 1, true), ('gone', '{calls}', 5, false))
          as v (name, services, expected, active) returning *)
      insert into devices (client_id, device_reference, device_user_id, group_id, services, activated_at, is_deactivated, last_seen,
        updated_at, updated_by)
      select g.client_id, device, (select device_user_id from u where device_user_reference = holder), g.group_id, '{calls}',
        activated, deactivated, seen, 0, 'test'
      from g, (values
        ('new phone', 'with calls', 1, false, extract(epoch from now())::bigint),
        ('silent phone', 'with sms', 1, false, extract(epoch from now())::bigint - 31 * 86400),
        ('spare phone', null, 1, false, null), ('phone of who left', 'gone', 1, false, null),
        ('pending phone', 'with calls', null, false, null), ('old phone', 'with calls', 1, true, null))
        as v (device, holder, activated, deactivated, seen)`)
    const { stats } = await read(fixture.alice, 'Counted')
    assert.deepEqual([stats.device_users, stats.expected_devices, stats.actual_devices], [2, 3, 4])
    assert.deepEqual(stats.services.calls, {
      used_licenses: 2,
      expected_devices: 2,
      active_devices: 1,
      active_users: 1,
    })
    assert.deepEqual(stats.services.sms, {
      used_licenses: 2,
      expected_devices: 3,
      active_devices: 1,
      active_users: 2,
    })
    assert.deepEqual(stats.services.gps, {
      used_licenses: 0,
      expected_devices: 0,
      active_devices: 0,
      active_users: 0,
    })
  })
})

describe('permissions for some groups', () => {
  let person: Person
  beforeEach(async () => {
    await fixture.giveRole('Northerner', [within(['groups:*', 'payloads:list'], ['North*'])])
    person = await fixture.personWith(['Northerner'])
  })

  it('hide other groups with the same answer as for a missing group', async () => {
    assert.deepEqual(await names(person, {}), ['North'])
    for (const call of [
      (name: string) => read(person, name),
      (name: string) => save(person, name, []),
      (name: string) => review(person, name, []),
      (name: string) => remove(person, name),
    ]) {
      const [foreign, missing] = [await getProblem(call('South')), await getProblem(call('Sowth'))]
      assert.deepEqual(
        [foreign.code, foreign.message, foreign.status],
        [missing.code, missing.message, missing.status],
      )
      assert.equal(foreign.code, 'not_found')
    }
  })

  it('allow creating groups that match the conditions', async () => {
    assert.equal((await save(person, 'North East', [])).group_reference, 'North East')
    assert.deepEqual(await names(person, {}), ['North', 'North East'])
    await remove(person, 'North East')
  })
})

describe('escalation by group tags', () => {
  beforeEach(async () => {
    await fixture.giveRole('Of Region East', [
      {
        actions_matching: ['payloads:play'],
        conditions: [{ keys_matching: ['region'], values_matching: ['East'] }],
      },
      allow('groups:*', 'roles:list'),
    ])
    await fixture.giveRole('Not On Hold', [
      { is_denied: true, actions_matching: ['payloads:download'], conditions: [{ keys_matching: ['hold'] }] },
      allow('groups:*', 'roles:list'),
    ])
    await fixture.alice.api.deleteTag({ params: { tag_key: 'region' } }).catch(() => undefined)
    await fixture.newAlerts()
  })

  it('is rejected when tags would let the user’s own or another role into a group', async () => {
    for (const roles of [['Of Region East'], ['Not On Hold']]) {
      const person = await fixture.personWith(roles)
      const { impact } = await review(person, 'South', [tag('region', 'East')])
      assert.deepEqual(
        impact.escalations.map(({ action, groups }) => [action, groups.first]),
        [['payloads:play', ['South']]],
      )
      assert.deepEqual(
        impact.roles.map(({ role_reference, groups_gained }) => [role_reference, groups_gained.first]),
        [['Of Region East', ['South']]],
      )
      assert.equal(await getCode(save(person, 'South', [tag('region', 'East')])), 'escalation')
    }
    assert.deepEqual((await read(fixture.alice, 'South')).tags, [tag('region', 'South')])
    assert.deepEqual(await fixture.newAlerts(), [])
  })

  it('is rejected when a removed tag would end a denial', async () => {
    await save(fixture.alice, 'South', [tag('region', 'South'), tag('hold', 'yes')])
    const person = await fixture.personWith(['Of Region East'])
    assert.equal(await getCode(save(person, 'South', [tag('region', 'South')])), 'escalation')
    await fixture.newAlerts()
    await save(fixture.alice, 'South', [tag('region', 'South')])
    assert.deepEqual(await fixture.newAlerts(), [], 'alice may download there herself')
  })

  it('is permitted with access:escalate and raises an alert', async () => {
    await fixture.giveRole('Tagger', [allow('groups:*', 'access:escalate')])
    const person = await fixture.personWith(['Tagger'])
    await save(person, 'South', [tag('region', 'East')])
    assert.deepEqual(await fixture.newAlerts(), [
      'High: carol saved the group South and so granted more than their own rights: payloads:play (South)',
    ])
    await save(person, 'South', [tag('region', 'South')])
    assert.deepEqual(await fixture.newAlerts(), [], 'taking away grants nothing')
  })

  it('an editor must confirm before a group leaves their permissions', async () => {
    await fixture.giveRole('Southern', [
      {
        actions_matching: ['groups:*'],
        conditions: [{ keys_matching: ['region'], values_matching: ['South'] }],
      },
    ])
    const person = await fixture.personWith(['Southern'])
    assert.equal((await review(person, 'South', [])).impact.locks_out, true)
    assert.equal(await getCode(save(person, 'South', [])), 'locks_out')
    assert.deepEqual((await save(person, 'South', [], { confirm_lockout: true })).tags, [])
    assert.equal(await getCode(read(person, 'South')), 'not_found')
  })
})

it('refuses a new group whose name could pass for another one', async () => {
  for (const group_reference of ['No\u200brth', 'Sou\u202eth', 'Nor\u200dth']) {
    const call = fixture.alice.api.saveGroup({ params: { group_reference }, body: { tags: [] } })
    assert.equal((await getProblem(call)).faults[0]?.code, 'invisible_character')
  }
})

describe('the reserved group', () => {
  it('the reserved group cannot be read, changed, deleted or assigned', async () => {
    const { alice } = fixture
    const params = { group_reference: RESERVED_GROUP }
    const listed = await alice.api.listGroups({})
    assert.ok(listed.data.every(({ group_reference }) => group_reference !== RESERVED_GROUP))
    assert.equal(await getCode(alice.api.readGroup({ params })), 'not_found')
    assert.equal(await getCode(alice.api.deleteGroup({ params })), 'not_found')
    const problem = await getProblem(alice.api.saveGroup({ params, body: { tags: [] } }))
    assert.deepEqual([problem.code, problem.faults[0]?.code], ['invalid_input', 'group_reserved'])
    const { faults } = await getProblem(
      alice.api.saveAccountDefaults({
        body: { user_group: RESERVED_GROUP, role: null, cidr_ranges: [], contact: null },
      }),
    )
    assert.equal(faults[0]?.path, 'user_group')
    const person = await getProblem(
      alice.api.createDeviceUser({
        params: { device_user_reference: 'unknown' },
        body: {
          group: RESERVED_GROUP,
          services: [],
          expected_device_count: 1,
          email: null,
          first_name: null,
          surname: null,
          is_active: true,
        },
      }),
    )
    assert.equal(person.faults[0]?.path, 'group')
  })

  it('required tags do not apply to the reserved group', async () => {
    const { alice } = fixture
    await alice.api.saveTag({
      params: { tag_key: 'everywhere' },
      query: { force_update: true },
      body: { tag_values: null, is_required: true, default_value: 'yes' },
    })
    const tagged = await fixture.sql(
      `select g.is_reserved from groups g join group_tags using (client_id, group_id) where tag_key = 'everywhere'`,
    )
    assert.ok(tagged.length > 0 && tagged.every(({ is_reserved }) => is_reserved === false))
  })

  it('devices in the reserved group are visible only to permissions without conditions', async () => {
    await fixture.sql(`insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
    select client_id, 'waits', group_id, 1, 'test' from groups join clients using (client_id) where client = 'acme' and is_reserved`)
    const sees = async (conditions?: object[]) => {
      const permission = { ...allow('devices:list', 'devices:read'), ...(conditions ? { conditions } : {}) }
      await fixture.giveRole('Watcher', [permission])
      const carol = await fixture.personWith(['Watcher'])
      return carol.api.readDevice({ params: { device_reference: 'waits' } }).then(
        ({ group }) => group,
        (error: ApiProblem) => error.code,
      )
    }
    assert.equal(await sees(), RESERVED_GROUP)
    assert.equal(await sees([{ names_matching: ['*'] }]), 'not_found')
    assert.equal(await sees([{ names_matching: ['North'], is_denied: true }]), 'not_found')
  })
})

describe('a search in the list of groups', () => {
  let bob: Person
  before(async () => {
    bob = await openPerson(fixture.server, 'acme', 'bob')
  })

  it('finds a part of the name in any case, as text and not as a pattern', async () => {
    assert.deepEqual(await names(fixture.alice, { search: 'TH' }), ['North', 'South'])
    for (const search of ['%', '_', 'N.*', '\\'])
      assert.deepEqual(await names(fixture.alice, { search }), [], search)
    assert.deepEqual(await names(bob, { search: 'South' }), [], 'a search does not widen the reach')
  })

  it('finds a part of a tag key or tag value', async () => {
    const north = { search: 'NORT' }
    await fixture.sql(
      `insert into group_tags select client_id, group_id, 'Side', 'far north' from groups where group_reference = 'South'`,
    )
    assert.deepEqual(await names(fixture.alice, north), ['North', 'South'])
    assert.deepEqual(await names(fixture.alice, { search: 'sid' }), ['South'])
    assert.deepEqual(await fixture.alice.api.listGroups({ query: { type: 'total', ...north } }), { total: 2 })
    assert.deepEqual(await names(bob, north), ['North'], 'a search does not widen the reach')
    assert.deepEqual(await names(fixture.alice, { search: 'Sidefar' }), [])
  })
})

it('reads none of the devices that were seen lately, however often groups are listed', async () => {
  const { sql, server } = fixture
  const { client_id } = (
    await sql<{ client_id: number }>(`select client_id from clients where client = 'acme'`)
  )[0] ?? {
    client_id: 0,
  }
  const now = server.ctx.now()
  await sql(
    `with made as (
       insert into groups (client_id, group_reference, updated_at, updated_by)
       select $1, 'Branch ' || i, 1, 'test' from generate_series(1, 40) i returning group_id
     )
     insert into devices (client_id, device_reference, group_id, services, last_seen, activated_at, updated_at, updated_by)
     select $1, 'lately-' || group_id || '-' || i, group_id, '{calls}', $2::bigint, 1, 1, 'test' from made, generate_series(1, 50) i`,
    [client_id, now],
  )
  await sql('analyze')
  const read = await server.ctx.db.read(client_id, async (q) => {
    for (let time = 0; time < 20; time++)
      await listGroups(q, { groups: 'all', search: '' }, { after: '', limit: 100, now })
    return q.value<number>(
      `select (seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables where relname = 'devices'`,
      [],
    )
  })
  assert.ok((read ?? 0) < 2000, `${read} rows`)
})
