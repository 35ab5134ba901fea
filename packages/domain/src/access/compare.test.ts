import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AccessImpact, PAYLOAD_TYPES, type Permission } from '@custodia/contract'
import { changedReach, exceeds, locksOut, widening } from './compare.ts'
import { type Access, evaluate } from './evaluate.ts'
import { NO_ALERTS } from './fixtures.test-support.ts'
import { type AccessGroup, indexGroups } from './group-index.ts'
import { compileNetworks } from './networks.ts'
import { compileRole, type RoleRules } from './role-sum.ts'

const ACTIONS = ['payloads:list', 'payloads:play', 'roles:update', 'groups:update']
const REGION = { north: [{ key: 'Region', value: 'North' }], south: [{ key: 'Region', value: 'South' }] }
const GROUPS: AccessGroup[] = [
  { group_id: 1, group_reference: 'Alpha', tags: REGION.north },
  { group_id: 2, group_reference: 'Beta', tags: REGION.south },
  { group_id: 3, group_reference: 'Gamma', tags: [] },
]
const groupIndex = indexGroups(GROUPS)
const NONE = { is_all: false, count: 0, first: [] }

const role = (permissions: Permission[], rest: Partial<RoleRules> = {}, groups = groupIndex) =>
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
    groups,
    ACTIONS,
  )
const allow = (...actions_matching: string[]): Permission => ({ actions_matching })
const north = { conditions: [{ keys_matching: ['Region'], values_matching: ['North'] }] }
const named = (...names_matching: string[]) => ({ conditions: [{ names_matching }] })

describe('the excess of roles over an actor', () => {
  it('names the action, payload types and groups', () => {
    const actor = {
      roles: [role([{ ...allow('payloads:*'), ...named('Alpha') }], { payload_types: ['Call', 'SMS'] })],
    }
    const granted = role([{ ...allow('payloads:play'), ...named('Alpha', 'Beta') }], {
      payload_types: ['Call', 'Photo'],
    })
    assert.deepEqual(exceeds({ roles: [granted] }, actor, ACTIONS), [
      {
        action: 'payloads:play',
        limit: 'reach',
        payload_types: ['Call'],
        groups: { is_all: false, count: 1, first: ['Beta'] },
      },
      {
        action: 'payloads:play',
        limit: 'reach',
        payload_types: ['Photo'],
        groups: { is_all: false, count: 2, first: ['Alpha', 'Beta'] },
      },
    ])
  })
  it('covers all groups, including future ones, without conditions', () => {
    const [row] = exceeds({ roles: [role([allow('payloads:play')])] }, { roles: [] }, ACTIONS)
    assert.deepEqual(row, {
      action: 'payloads:play',
      limit: 'reach',
      payload_types: [...PAYLOAD_TYPES],
      groups: { is_all: true, count: 3, first: ['Alpha', 'Beta', 'Gamma'] },
    })
  })
  it('compares alert permissions', () => {
    const granted = role([allow('payloads:list')], {
      alert_permissions: { ...NO_ALERTS, ops_read: true, sec_write: true },
    })
    const actor = {
      roles: [role([allow('*')], { alert_permissions: { ...NO_ALERTS, ops_read: true, ops_write: true } })],
    }
    assert.deepEqual(exceeds({ roles: [granted] }, actor, ACTIONS), [
      { action: 'alerts.sec_write', limit: 'reach', payload_types: [], groups: NONE },
    ])
  })
  it('names at most twenty groups and counts all of them', () => {
    const many = indexGroups(
      Array.from({ length: 200 }, (_, i) => ({ group_id: i, group_reference: `Group ${i}`, tags: [] })),
    )
    const granted = role([{ ...allow('payloads:play'), ...named('*') }], {}, many)
    const [row] = exceeds({ roles: [granted] }, { roles: [] }, ACTIONS)
    assert.equal(row?.groups.count, 200)
    assert.equal(row?.groups.first.length, 20)
  })
  it('matches the contract schema', () => {
    const escalations = exceeds({ roles: [role([allow('*')])] }, { roles: [] }, ACTIONS)
    const change = changedReach(undefined, role([allow('*')]), ACTIONS)
    const { is_wider, is_narrower, ...impact } = change
    assert.deepEqual([is_wider, is_narrower], [true, false])
    const whole = {
      locks_out: false,
      escalations,
      may_escalate: false,
      roles: [{ role_reference: 'Test', ...impact }],
    }
    assert.deepEqual(AccessImpact.parse(whole), whole)
  })
  it('includes a group that a tag change moves into the role’s reach', () => {
    const moved = indexGroups(
      GROUPS.map((each) => (each.group_id === 3 ? { ...each, tags: REGION.north } : each)),
    )
    const permissions = [{ ...allow('payloads:play'), ...north }]
    const [before, after] = [role(permissions), role(permissions, {}, moved)]
    assert.deepEqual(
      exceeds({ roles: [after] }, { roles: [before] }, ACTIONS).map(({ groups }) => groups.first),
      [['Gamma']],
    )
    assert.deepEqual(exceeds({ roles: [before] }, { roles: [after] }, ACTIONS), [])
  })
})

describe('the excess of a role change over an actor', () => {
  const actor = { roles: [role([allow('payloads:list'), allow('roles:update')])] }
  it('excludes rights that the role granted before', () => {
    const before = role([allow('payloads:play')])
    const after = role([allow('payloads:play'), allow('payloads:list')])
    assert.deepEqual(widening(before, after, actor, ACTIONS), [])
    assert.equal(widening(undefined, after, actor, ACTIONS).length, 1)
  })
})

describe('the changed reach of a role', () => {
  it('separates actions from groups', () => {
    const before = role([allow('payloads:list'), { ...allow('payloads:play'), ...named('Alpha') }])
    const after = role([{ ...allow('payloads:play'), ...named('Alpha', 'Beta') }, allow('roles:update')])
    const found = changedReach(before, after, ACTIONS)
    assert.deepEqual(found.actions_gained, ['roles:update'])
    assert.deepEqual(found.actions_lost, ['payloads:list'])
    assert.deepEqual(found.groups_lost.is_all, true)
    assert.deepEqual([found.is_wider, found.is_narrower], [true, true])
  })
  it('names the groups that enter or leave by their tags', () => {
    const tagged = indexGroups([
      { group_id: 1, group_reference: 'Alpha', tags: REGION.south },
      { group_id: 2, group_reference: 'Beta', tags: REGION.north },
      { group_id: 3, group_reference: 'Gamma', tags: [] },
    ])
    const permissions = [{ ...allow('payloads:*'), ...north }]
    const found = changedReach(role(permissions), role(permissions, {}, tagged), ACTIONS)
    assert.deepEqual([found.actions_gained, found.actions_lost], [[], []])
    assert.deepEqual([found.groups_gained.first, found.groups_lost.first], [['Beta'], ['Alpha']])
  })
  it('is empty when only the patterns change', () => {
    const found = changedReach(
      role([allow('payloads:*')]),
      role([allow('payloads:list', 'payloads:play')]),
      ACTIONS,
    )
    assert.deepEqual(found, {
      actions_gained: [],
      actions_lost: [],
      groups_gained: NONE,
      groups_lost: NONE,
      is_wider: false,
      is_narrower: false,
    })
  })
  it('is wider with more networks, payload types or alert permissions, or without an alert', () => {
    const plain = { payload_types: ['Call' as const], cidr_ranges: ['10/8'], is_alertable: true }
    const before = role([allow('payloads:list')], plain)
    for (const more of [
      { cidr_ranges: ['10/8', '11/8'] },
      { payload_types: ['Call' as const, 'SMS' as const] },
      { alert_permissions: { ...NO_ALERTS, sec_read: true } },
      { is_alertable: false },
    ]) {
      const found = changedReach(before, role([allow('payloads:list')], { ...plain, ...more }), ACTIONS)
      assert.deepEqual([found.is_wider, found.is_narrower], [true, false], JSON.stringify(more))
    }
  })
})

describe('the lock-out check', () => {
  const account = { networks: compileNetworks(['10/8']) }
  const access = (permissions: Permission[], ip = '10.1.1.1'): Access =>
    evaluate({ roles: [role(permissions)], ip }, account)
  const admin = access([allow('*')])
  it('reports a lost action that would undo the change, or a lost network', () => {
    assert.equal(locksOut(admin, access([allow('roles:update')]), ['roles:update']), false)
    assert.equal(locksOut(admin, access([allow('payloads:*')]), ['roles:update']), true)
    assert.equal(locksOut(admin, access([allow('*')], '11.1.1.1'), []), true)
  })
  it('reports a groupless action that is limited to some groups', () => {
    const partly = access([{ ...allow('roles:update'), ...named('Alpha') }])
    assert.equal(locksOut(admin, partly, ['roles:update']), true)
  })
  it('ignores rights that the actor never had', () => {
    assert.equal(locksOut(access([allow('payloads:*')]), access([]), ['roles:update']), false)
    assert.equal(locksOut(access([], '11.1.1.1'), access([], '11.1.1.1'), ['roles:update']), false)
  })
  it('reports the loss of the changed group', () => {
    const before = access([{ ...allow('groups:update'), ...named('Alpha', 'Beta') }])
    const after = access([{ ...allow('groups:update'), ...named('Beta') }])
    assert.equal(locksOut(before, after, ['groups:update'], 1), true)
    assert.equal(locksOut(before, after, ['groups:update'], 2), false)
    assert.equal(locksOut(before, after, ['groups:update']), false)
  })
})
