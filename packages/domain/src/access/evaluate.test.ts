import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '@custodia/contract'
import { compileRole, type RoleRules } from './role-sum.ts'
import { evaluate, type Principal } from './evaluate.ts'
import { indexGroups } from './group-index.ts'
import { compileNetworks } from './networks.ts'
import { NO_ALERTS } from './fixtures.test-support.ts'

const ACTIONS = ['payloads:list', 'payloads:play', 'groups:delete', 'roles:list', 'profile:read']
const groupIndex = indexGroups([
  {
    group_id: 1,
    group_reference: 'North',
    tags: [
      { key: 'Region', value: 'EU' },
      { key: 'Desk', value: 'FX' },
    ],
  },
  {
    group_id: 2,
    group_reference: 'South',
    tags: [
      { key: 'Region', value: 'US' },
      { key: 'Desk', value: 'EU' },
    ],
  },
  { group_id: 3, group_reference: 'West', tags: [] },
])
const anywhere = { networks: compileNetworks([]) }

const role = (permissions: Permission[], rest: Partial<RoleRules> = {}) =>
  compileRole(
    {
      role_reference: 'Test',
      permissions,
      payload_types: [],
      cidr_ranges: [],
      alert_permissions: NO_ALERTS,
      is_alertable: false,
      ...rest,
    },
    groupIndex,
    ACTIONS,
  )
const allow = (...actions_matching: string[]): Permission => ({ actions_matching })
const deny = (...actions_matching: string[]): Permission => ({ actions_matching, is_denied: true })
const access = (roles: Principal['roles'], rest: Partial<Principal> = {}) =>
  evaluate({ roles, ip: '10.0.0.1', ...rest }, anywhere)

describe('access', () => {
  it('permits nothing without roles', () => {
    const none = access([])
    assert.deepEqual(
      [none.actions(), none.lanes('payloads:list'), none.groups('payloads:list')],
      [[], [], []],
    )
    assert.equal(none.may('profile:read'), false)
    assert.equal(none.permits('payloads:list', { group_id: 1 }), false)
  })

  it('covers every group without conditions, including a new one', () => {
    const all = access([role([allow('payloads:*')])])
    assert.deepEqual(all.lanes('payloads:list'), [{ types: 'all', groups: 'all', groupless: true }])
    assert.ok(all.permits('payloads:list', { group_id: 99 }))
    assert.deepEqual(all.actions(), ['payloads:list', 'payloads:play'])
    assert.equal(all.may('payloads:delete'), false)
  })

  it('reaches the reserved group only with an unconditional permission', () => {
    const groups = [
      ...groupIndex.groups,
      { group_id: 9, group_reference: 'North too', tags: [], is_reserved: true },
    ]
    const reserving = indexGroups(groups)
    const reaches = (permissions: Permission[], rest: Partial<Principal> = {}) => {
      const rules = {
        role_reference: 'R',
        permissions,
        payload_types: [],
        cidr_ranges: [],
        alert_permissions: NO_ALERTS,
      }
      const compiled = compileRole({ ...rules, is_alertable: false }, reserving, ACTIONS)
      return access([compiled], rest).permits('payloads:list', { group_id: 9 })
    }
    assert.ok(reaches([allow('*')]))
    assert.ok(!reaches([{ ...allow('*'), conditions: [{ names_matching: ['*'] }] }]))
    assert.ok(!reaches([{ ...allow('*'), conditions: [{ names_matching: ['South'], is_denied: true }] }]))
    assert.ok(reaches([allow('*'), { ...deny('*'), conditions: [{ names_matching: ['*'] }] }]))
    assert.ok(
      !reaches([allow('*'), { ...deny('*'), conditions: [{ names_matching: ['*'], is_denied: true }] }]),
    )
    assert.ok(!reaches([allow('*')], { group_references: ['North too'] }))
    const { count, first } = reserving.sample(reserving.everything)
    assert.deepEqual([count, first], [3, ['North', 'South', 'West']])
  })

  it('matches key and value only on the same tag', () => {
    const conditions = [{ keys_matching: ['Region'], values_matching: ['EU'] }]
    assert.deepEqual(access([role([{ ...allow('*'), conditions }])]).groups('payloads:list'), [1])
  })

  it('combines conditions and excludes the denied ones', () => {
    const conditions = [
      { names_matching: ['North'] },
      { keys_matching: ['Desk'] },
      { values_matching: ['US'], is_denied: true },
    ]
    assert.deepEqual(access([role([{ ...allow('*'), conditions }])]).groups('payloads:list'), [1])
  })

  it('never covers items without a group under a condition', () => {
    for (const is_denied of [false, true]) {
      const some = access([role([{ ...allow('*'), conditions: [{ names_matching: ['North'], is_denied }] }])])
      assert.equal(some.allowsGroupless('roles:list'), false)
      assert.equal(some.permits('payloads:list', { group_id: null }), false)
      assert.equal(some.permits('payloads:list', { group_id: 99 }), false)
    }
  })

  it('is denied by any role, for all payload types and from any network', () => {
    const never = role([{ ...deny('payloads:play'), conditions: [{ names_matching: ['South'] }] }], {
      payload_types: ['Photo'],
      cidr_ranges: ['192.168/16'],
    })
    const both = access([role([allow('*')]), never])
    assert.deepEqual(both.lanes('payloads:play'), [{ types: 'all', groups: [1, 3], groupless: true }])
    assert.equal(both.permits('payloads:play', { group_id: 2, payload_type: 'Call' }), false)
    assert.equal(
      both.permits('payloads:play', { group_id: 99 }),
      false,
      'a later group may be one that is denied',
    )
    assert.ok(both.permits('payloads:list', { group_id: 2 }))
    assert.deepEqual(both.roles, ['Test'])
  })

  it('keeps only the group that a denied condition exempts from a deny', () => {
    const only = { ...deny('payloads:play'), conditions: [{ names_matching: ['North'], is_denied: true }] }
    const some = access([role([allow('*'), only])])
    assert.deepEqual(some.lanes('payloads:play'), [{ types: 'all', groups: [1], groupless: false }])
  })

  it('never combines the action of one role with the types or groups of another', () => {
    const calls = role([{ ...allow('payloads:*'), conditions: [{ names_matching: ['North'] }] }], {
      payload_types: ['Call'],
    })
    const texts = role([allow('payloads:list')], { payload_types: ['SMS', 'MMS'] })
    const both = access([calls, texts])
    assert.deepEqual(both.lanes('payloads:list'), [
      { types: ['Call'], groups: [1], groupless: false },
      { types: ['MMS', 'SMS'], groups: 'all', groupless: true },
    ])
    assert.deepEqual(both.lanes('payloads:play'), [{ types: ['Call'], groups: [1], groupless: false }])
    assert.deepEqual(both.payload_types, ['Call', 'MMS', 'SMS'])
    const fleet = role([allow('devices:*')], { payload_types: [] })
    assert.deepEqual(access([fleet, calls]).payload_types, ['Call'], 'a role without payloads adds no types')
  })

  it('merges payload types with the same groups into one scope', () => {
    const north = [{ names_matching: ['North'] }]
    const a = role([{ ...allow('payloads:list'), conditions: north }], { payload_types: ['Call'] })
    const b = role([{ ...allow('payloads:list'), conditions: north }], { payload_types: ['SMS'] })
    assert.deepEqual(access([a, b]).lanes('payloads:list'), [
      { types: ['Call', 'SMS'], groups: [1], groupless: false },
    ])
  })

  it('ignores a role outside its network and all roles outside the account network', () => {
    const office = role([allow('payloads:play')], {
      role_reference: 'Office',
      cidr_ranges: ['192.168/16'],
      is_alertable: true,
    })
    const home = role([allow('payloads:list')], { role_reference: 'Home' })
    const away = access([office, home])
    assert.deepEqual([away.actions(), away.roles, away.alertable_roles], [['payloads:list'], ['Home'], []])
    assert.deepEqual(access([office, home], { ip: '::ffff:192.168.1.1' }).alertable_roles, ['Office'])
    const refused = evaluate({ roles: [home], ip: '10.0.0.1' }, { networks: compileNetworks(['11/8']) })
    assert.equal(refused.is_network_allowed, false)
    assert.deepEqual([refused.actions(), refused.roles, refused.payload_types], [[], [], []])
  })

  it('names the alertable roles that an action uses', () => {
    const watched = (role_reference: string, ...permissions: Permission[]) =>
      role(permissions, { role_reference, is_alertable: true })
    const all = [
      watched('Plays', allow('payloads:play')),
      watched('Lists', allow('payloads:list')),
      role([allow('*')], { role_reference: 'Quiet' }),
      role([allow('payloads:play')], {
        role_reference: 'Office',
        is_alertable: true,
        cidr_ranges: ['192.168/16'],
      }),
    ]
    assert.deepEqual(access(all).alertableFor('payloads:play'), ['Plays'])
    assert.deepEqual(access(all).alertableFor('roles:list'), [])
    assert.deepEqual(access(all, { ip: '192.168.0.1' }).alertableFor('payloads:play'), ['Plays', 'Office'])
    const denied = access([...all, role([deny('payloads:play')])])
    assert.deepEqual(denied.alertableFor('payloads:play'), [])
  })

  it('is limited to the groups of the identity provider, except for groupless actions', () => {
    const bob = access([role([allow('*')])], { group_references: ['North', 'Elsewhere'] })
    assert.deepEqual(bob.lanes('payloads:list'), [{ types: 'all', groups: [1], groupless: false }])
    assert.deepEqual(bob.groups('groups:delete'), [1])
    assert.equal(bob.permits('payloads:list', { group_id: 2 }), false)
    assert.equal(bob.permits('payloads:list', { group_id: null }), false)
    assert.ok(bob.allowsGroupless('profile:read'))
    const confined = access([role([allow('*')])], { group_references: [] })
    assert.deepEqual(confined.lanes('payloads:list'), [])
    assert.ok(confined.may('payloads:list'), 'an empty list rather than a refusal')
  })

  it('permits an action that matches no group and refuses one that is denied everywhere', () => {
    const nowhere = { ...allow('payloads:list'), conditions: [{ names_matching: ['Unknown'] }] }
    const empty = access([role([nowhere, allow('roles:list'), deny('roles:list')])])
    assert.ok(empty.may('payloads:list'))
    assert.deepEqual(empty.lanes('payloads:list'), [])
    assert.equal(empty.may('roles:list'), false)
    assert.deepEqual(empty.actions(), ['payloads:list'])
  })

  it('shrinks when a stored pattern is invalid', () => {
    const broken = { names_matching: ['('], is_regex: true }
    const groupsWith = (...permissions: Permission[]) => access([role(permissions)]).groups('payloads:play')
    assert.deepEqual(groupsWith({ ...allow('*'), conditions: [broken] }), [])
    assert.deepEqual(groupsWith({ ...allow('*'), conditions: [{ ...broken, is_denied: true }] }), [])
    assert.deepEqual(groupsWith(allow('*'), { ...deny('*'), conditions: [broken] }), [])
    assert.deepEqual(
      groupsWith(allow('*'), { ...deny('*'), conditions: [{ ...broken, is_denied: true }] }),
      [],
    )
    assert.deepEqual(groupsWith({ ...allow('('), is_regex: true }), [])
    assert.deepEqual(groupsWith(allow('*'), { ...deny('('), is_regex: true }), [])
    assert.deepEqual(groupsWith({ ...allow('*'), conditions: [{ keys_matching: [] }] }), [])
    assert.deepEqual(groupsWith(allow('*'), { ...deny('*'), conditions: [{}] }), [])
  })

  it('combines alert permissions of the active roles', () => {
    const ops = role([allow('*')], { alert_permissions: { ...NO_ALERTS, ops_read: true } })
    const sec = role([allow('*')], {
      alert_permissions: { ...NO_ALERTS, sec_write: true },
      cidr_ranges: ['11/8'],
    })
    assert.deepEqual(access([ops, sec]).alert_permissions, { ...NO_ALERTS, ops_read: true })
  })

  it('refuses roles compiled against different groups', () => {
    const rules = {
      role_reference: 'Other',
      permissions: [allow('*')],
      payload_types: [],
      cidr_ranges: [],
      alert_permissions: NO_ALERTS,
      is_alertable: false,
    }
    const other = compileRole(rules, indexGroups([]), ACTIONS)
    assert.throws(() => access([role([allow('*')]), other]), /different groups/)
  })

  it('stays fast with a thousand groups', () => {
    const groups = Array.from({ length: 1000 }, (_, i) => ({
      group_id: i,
      group_reference: `Group ${i}`,
      tags: [{ key: 'Region', value: i % 2 ? 'EU' : 'US' }],
    }))
    const start = process.cpuUsage().user
    const large = indexGroups(groups)
    const permissions = Array.from({ length: 20 }, (_, i) => ({
      ...allow('*'),
      conditions: [
        { names_matching: [`Group ${i}*`] },
        { keys_matching: ['Reg.*'], values_matching: ['E.'], is_regex: true },
      ],
    }))
    const rules = {
      role_reference: 'Large',
      permissions,
      payload_types: [],
      cidr_ranges: [],
      alert_permissions: NO_ALERTS,
      is_alertable: false,
    }
    const compiled = compileRole(rules, large, ACTIONS)
    const [lane] = evaluate({ roles: [compiled], ip: '1.1.1.1' }, anywhere).lanes('payloads:list')
    assert.ok(lane && lane.groups !== 'all' && lane.groups.length >= 500)
    assert.ok(process.cpuUsage().user - start < 2_000_000)
  })
})
