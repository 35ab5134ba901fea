import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '@custodia/contract'
import { RoleReview } from '@custodia/contract'
import fc from 'fast-check'
import { ACTIONS, fixture } from './fixtures.test-support.ts'
import { indexGroups } from './group-index.ts'
import { oracleAllows } from './oracle.test-support.ts'
import { previewRole } from './preview.ts'

const GROUPS = [
  { group_id: 1, group_reference: 'North desk', tags: [{ key: 'Region', value: 'North' }] },
  { group_id: 2, group_reference: 'North contractors', tags: [{ key: 'Region', value: 'North' }] },
  { group_id: 3, group_reference: 'South desk', tags: [{ key: 'Region', value: 'South' }] },
]
const groupIndex = indexGroups(GROUPS)
const NONE = { is_all: false, count: 0, first: [] }
const preview = (...permissions: Permission[]) =>
  previewRole({ permissions, cidr_ranges: [] }, groupIndex, ACTIONS)
const of = (action: string, ...permissions: Permission[]) => {
  const found = preview(...permissions).actions.find((each) => each.action === action)
  assert.ok(found)
  return found
}
const north = { conditions: [{ keys_matching: ['Region'], values_matching: ['North'] }] }
const contractors = { conditions: [{ names_matching: ['*contractors'] }] }

describe('the role preview', () => {
  it('shows the reached groups and the groups that a deny removes', () => {
    const play = of(
      'payloads:play',
      { actions_matching: ['payloads:*'], ...north },
      { actions_matching: ['*:play'], is_denied: true, ...contractors },
    )
    assert.deepEqual(play, {
      action: 'payloads:play',
      outcome: 'allowed',
      allowed_by: [0],
      denied_by: [1],
      groups: { is_all: false, count: 1, first: ['North desk'] },
      struck: { is_all: false, count: 1, first: ['North contractors'] },
      groupless: false,
    })
  })
  it('separates denied actions from unmatched actions', () => {
    const everything = { actions_matching: ['*'] }
    const never = { actions_matching: ['payloads:play'], is_denied: true }
    assert.equal(of('payloads:play', everything, never).outcome, 'denied')
    assert.deepEqual(of('payloads:play', everything, never).struck.is_all, true)
    assert.equal(of('payloads:play', never).outcome, 'denied')
    assert.equal(of('roles:list', { actions_matching: ['payloads:*'] }).outcome, 'unmatched')
  })
  it('grants no groupless action under a group condition', () => {
    const found = of('roles:list', { actions_matching: ['*'], ...north })
    assert.deepEqual([found.outcome, found.allowed_by, found.groups], ['confined', [0], NONE])
    assert.equal(of('roles:list', { actions_matching: ['*'] }).outcome, 'allowed')
    const denied = { actions_matching: ['roles:*'], is_denied: true }
    assert.equal(of('roles:list', { actions_matching: ['*'], ...north }, denied).outcome, 'denied')
    assert.deepEqual(preview({ actions_matching: ['roles:*'], ...north }).groups, NONE)
  })
  it('marks an action as allowed even if no current group matches', () => {
    const found = of('payloads:list', { actions_matching: ['*'], conditions: [{ names_matching: ['West'] }] })
    assert.deepEqual([found.outcome, found.groups, found.groupless], ['allowed', NONE, false])
  })
  it('lists the matches of every pattern and warns about patterns without a match', () => {
    const found = preview({ actions_matching: ['payloads:*', 'payload:*'], ...north })
    assert.deepEqual(found.permissions, [
      {
        patterns: [
          { pattern: 'payloads:*', actions: ['payloads:list', 'payloads:play'] },
          { pattern: 'payload:*', actions: [] },
        ],
        groups: { is_all: false, count: 2, first: ['North desk', 'North contractors'] },
      },
    ])
    assert.deepEqual(
      found.warnings.map(({ path }) => path),
      ['permissions.0.actions_matching.1'],
    )
    assert.deepEqual(found.groups, { is_all: false, count: 2, first: ['North desk', 'North contractors'] })
  })
  it('works with an incomplete pattern', () => {
    const found = preview({ actions_matching: ['*', '('], is_regex: true, is_denied: true })
    assert.deepEqual(
      found.problems.map(({ path, code }) => `${path} ${code}`),
      [
        'permissions.0.actions_matching.0 pattern_invalid',
        'permissions.0.actions_matching.1 pattern_invalid',
      ],
    )
    assert.ok(found.actions.every(({ outcome }) => outcome === 'denied'))
    assert.deepEqual(found.permissions[0]?.patterns[1], { pattern: '(', actions: [] })
  })
  it('matches the contract schema', () => {
    const review = {
      ...preview({ actions_matching: ['payloads:*', 'x'], ...north }),
      payloads: null,
      impact: { locks_out: false, escalations: [], may_escalate: false, roles: [] },
    }
    assert.deepEqual(RoleReview.parse(review), review)
  })

  it('agrees with the oracle', () => {
    fc.assert(
      fc.property(fixture, (truth) => {
        for (const role of truth.roles) {
          const exclusively = {
            ...truth,
            roles: [{ ...role, cidr_ranges: [] }],
            account_ranges: [],
            group_references: undefined,
          }
          const allowsOnly = {
            ...exclusively,
            roles: [
              { ...role, cidr_ranges: [], permissions: role.permissions.filter((each) => !each.is_denied) },
            ],
          }
          const { actions } = previewRole(role, indexGroups(truth.groups), ACTIONS)
          assert.deepEqual(
            actions.map(({ action }) => action),
            ACTIONS,
          )
          for (const { action, outcome, groups, struck, groupless } of actions) {
            const named = truth.groups.filter(({ is_reserved }) => !is_reserved)
            const reached = named.filter((group) => oracleAllows(exclusively, action, group, undefined))
            const granted = named.filter((group) => oracleAllows(allowsOnly, action, group, undefined))
            const isConfined = action === 'roles:list' && !groupless
            assert.deepEqual(groups.first, isConfined ? [] : names(reached))
            assert.deepEqual(struck.first, names(granted.filter((group) => !reached.includes(group))))
            assert.equal(groupless, oracleAllows(exclusively, action, null, undefined))
            const later = oracleAllows(exclusively, action, 'later', undefined)
            if (isConfined) {
              assert.equal(groups.count, 0)
              assert.notEqual(outcome, 'allowed')
              if (reached.length > 0 || later) assert.equal(outcome, 'confined')
              continue
            }
            const isEverywhere = truth.groups.every((group) =>
              oracleAllows(exclusively, action, group, undefined),
            )
            assert.equal(groups.is_all, later && isEverywhere)
            if (reached.length > 0 || later || groupless) assert.equal(outcome, 'allowed')
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('stays below 50 ms with 400 groups and 20 permissions, and works with 10,000 groups', (t) => {
    const actions = Array.from({ length: 150 }, (_, i) => `noun${i % 30}:verb${i}`)
    const permissions = Array.from({ length: 20 }, (_, i): Permission => ({
      actions_matching: [`noun${i}*`, '*:verb1?'],
      is_denied: i % 5 === 4,
      conditions: [
        { names_matching: [`Group ${i}*`, `*${i}`] },
        { keys_matching: ['Reg.*'], values_matching: [`E(${i}|U)`], is_regex: true },
      ],
    }))
    for (const [count, limit] of [
      [400, 50],
      [10_000, 2000],
    ] as const) {
      const many = indexGroups(
        Array.from({ length: count }, (_, i) => ({
          group_id: i,
          group_reference: `Group ${i}`,
          tags: [{ key: 'Region', value: i % 2 ? 'EU' : 'US' }],
        })),
      )
      const best = Math.min(
        ...Array.from({ length: 2 }, () =>
          getCpu(() => previewRole({ permissions, cidr_ranges: [] }, many, actions)),
        ),
      )
      t.diagnostic(`${count} groups: ${best.toFixed(1)} ms`)
      assert.ok(best < limit, `${count} groups took ${best} ms`)
    }
  })
})

const names = (groups: { group_reference: string }[]) => groups.map((group) => group.group_reference)

/** Milliseconds of processor time, which neighbours on the machine do not lengthen. */
function getCpu(run: () => void): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}
