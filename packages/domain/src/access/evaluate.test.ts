import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ACCOUNT_ACTIONS, type AccessOutcome, PAYLOAD_TYPES, type Permission } from '@custodia/contract'
import fc from 'fast-check'
import { evaluate, explain, type Principal } from './evaluate.ts'
import {
  accessIn,
  ACTIONS,
  allows,
  compiledIn,
  decisionsIn,
  fixture,
  LATER_GROUP_ID,
  NO_ALERTS,
} from './fixtures.test-support.ts'
import { indexGroups } from './group-index.ts'
import { compileNetworks } from './networks.ts'
import { type Fixture, oracleAllows } from './oracle.test-support.ts'
import { compilePermission, compileRole, type RoleRules } from './role-sum.ts'

const FEW = ['payloads:list', 'payloads:play', 'groups:delete', 'roles:list', 'profile:read']
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
    FEW,
  )
const allow = (...actions_matching: string[]): Permission => ({ actions_matching })
const deny = (...actions_matching: string[]): Permission => ({ actions_matching, is_denied: true })
const access = (roles: Principal['roles'], rest: Partial<Principal> = {}) =>
  evaluate({ roles, ip: '10.0.0.1', ...rest }, anywhere)

describe('access', () => {
  it('covers every group without conditions, including a new one', () => {
    const all = access([role([allow('payloads:*')])])
    assert.deepEqual(all.lanes('payloads:list'), [{ types: 'all', groups: 'all', groupless: true }])
    assert.ok(all.permits('payloads:list', { group_id: 99 }))
    assert.deepEqual(all.actions(), ['payloads:list', 'payloads:play'])
    assert.equal(all.may('payloads:delete'), false)
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
    const other = compileRole(rules, indexGroups([]), FEW)
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
    const compiled = compileRole(rules, large, FEW)
    const [lane] = evaluate({ roles: [compiled], ip: '1.1.1.1' }, anywhere).lanes('payloads:list')
    assert.ok(lane && lane.groups !== 'all' && lane.groups.length >= 500)
    assert.ok(process.cpuUsage().user - start < 2_000_000)
  })
})

/** Decisions to compare with the oracle. */
const DECISIONS = process.env['TEST_LONG'] ? 100_000 : 20_000
/** A fixture holds 86 decisions on average; a few more fixtures, so that chance does not miss the number. */
const FIXTURES = Math.ceil(DECISIONS / 70)

/** Decides in the tampered fixture and compares with the oracle's reading of the true one. */
function differences(truth: Fixture, tamper: (fixture: Fixture) => Fixture = (same) => same): number {
  const access = accessIn(tamper(truth))
  return decisionsIn(truth).filter(
    (decision) =>
      allows(access, decision) !== oracleAllows(truth, decision.action, decision.place, decision.type),
  ).length
}

const check = <T>(property: fc.IProperty<T>, numRuns = FIXTURES) => fc.assert(property, { numRuns })

describe('access, against an oracle', () => {
  it(`decides as the oracle does, in at least ${DECISIONS} cases`, (t) => {
    let decisions = 0
    let granted = 0
    check(
      fc.property(fixture, (truth) => {
        const all = decisionsIn(truth)
        decisions += all.length
        granted += all.filter((d) => oracleAllows(truth, d.action, d.place, d.type)).length
        assert.equal(differences(truth), 0)
      }),
    )
    t.diagnostic(`${decisions} decisions, ${granted} of them granted`)
    assert.ok(decisions >= DECISIONS, `only ${decisions} decisions`)
    assert.ok(
      granted > decisions / 50 && granted < decisions / 2,
      `${granted} of ${decisions}: a lopsided generator`,
    )
  })

  it('explains each decision by the roles and rules that make it', () => {
    const explained = fc.property(fixture, (random) => {
      const roles = random.roles.map((each, n) => ({ ...each, role_reference: `R${n}` }))
      const truth = { ...random, roles }
      const groupsOfAll = indexGroups(truth.groups)
      const getPermissions = (reference: string) =>
        (roles.find((each) => each.role_reference === reference)?.permissions ?? []).map((each) =>
          compilePermission(each, groupsOfAll),
        )
      const principal = {
        roles: compiledIn(truth, groupsOfAll),
        ip: truth.ip,
        group_references: truth.group_references,
      }
      for (const { action, place, type } of decisionsIn(truth)) {
        if (place === 'nothing') continue
        const group_id = place === null ? null : place === 'later' ? LATER_GROUP_ID : place.group_id
        const target = { group_id, payload_type: type }
        const networks = compileNetworks(truth.account_ranges)
        const { decision, ...why } = explain(principal, { networks }, getPermissions, { action, target })
        const isAllowed = oracleAllows(truth, action, place, type)
        assert.deepEqual([why.is_allowed, decision === 'granted'], [isAllowed, isAllowed])
        const rules = (outcome: AccessOutcome) =>
          why.roles.filter((each) => each.outcome === outcome).flatMap((each) => each.rules)
        if (decision === 'granted') assert.ok(rules('grants').length > 0 && rules('denies').length === 0)
        if (decision === 'denied') assert.ok(rules('denies').length > 0)
        if (decision === 'outside_groups') assert.ok(truth.group_references !== undefined)
        if (decision === 'not_granted') assert.ok(![...rules('grants'), ...rules('denies')].length)
      }
    })
    check(explained, 60)
  })

  it('lists in scopes exactly the permitted cases, each in one scope', () => {
    check(
      fc.property(fixture, (truth) => {
        const access = accessIn(truth)
        for (const action of ACTIONS) {
          const lanes = access.lanes(action)
          for (const type of PAYLOAD_TYPES) {
            for (const group_id of [null, 999, ...truth.groups.map((each) => each.group_id)]) {
              const holding = lanes.filter(
                ({ types, groups, groupless }) =>
                  (types === 'all' || types.includes(type)) &&
                  (groups === 'all' || (group_id === null ? groupless : groups.includes(group_id))),
              )
              assert.equal(holding.length, access.permits(action, { group_id, payload_type: type }) ? 1 : 0)
            }
          }
          const groups = access.groups(action)
          for (const { group_id } of truth.groups) {
            assert.equal(groups === 'all' || groups.includes(group_id), access.permits(action, { group_id }))
          }
          const reaches = lanes.map((lane) => JSON.stringify([lane.groups, lane.groupless]))
          assert.equal(new Set(reaches).size, lanes.length, 'lanes with the same groups were not merged')
          const isGroupless = access.allowsGroupless(action)
          if (ACCOUNT_ACTIONS.has(action)) assert.equal(access.may(action), isGroupless)
          else if (lanes.length > 0 || isGroupless) assert.ok(access.may(action))
          assert.equal(access.may(action), access.actions().includes(action))
        }
      }),
    )
  })
})
