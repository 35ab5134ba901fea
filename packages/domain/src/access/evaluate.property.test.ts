import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ACCOUNT_ACTIONS, PAYLOAD_TYPES } from '@custodia/contract'
import fc from 'fast-check'
import { oracleAllows } from './oracle.test-support.ts'
import type { Fixture } from './oracle.test-support.ts'
import { accessIn, ACTIONS, allows, decisionsIn, group, role, fixture } from './fixtures.test-support.ts'

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

/** No decision that `less` allows is refused by `more`. */
function assertNoMore(less: Fixture, more: Fixture): void {
  const [a, b] = [accessIn(less), accessIn(more)]
  for (const decision of decisionsIn(less)) if (allows(a, decision)) assert.ok(allows(b, decision))
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

describe('access rules', () => {
  const runs = Math.ceil(FIXTURES / 2)

  it('a further deny never adds rights', () => {
    const denying = role.map((each) => ({
      ...each,
      permissions: each.permissions.map((permission) => ({ ...permission, is_denied: true })),
    }))
    check(
      fc.property(fixture, denying, (truth, extra) =>
        assertNoMore({ ...truth, roles: [...truth.roles, extra] }, truth),
      ),
      runs,
    )
  })

  it('a first condition on an allow never adds rights', () => {
    check(
      fc.property(fixture, role, fc.nat(), (truth, donor, n) => {
        const conditions = donor.permissions.flatMap((permission) => permission.conditions ?? []).slice(0, 1)
        const narrower = truth.roles.map((each) => ({
          ...each,
          permissions: each.permissions.map((permission, i) =>
            !permission.is_denied && !permission.conditions?.length && i % 2 === n % 2
              ? { ...permission, conditions }
              : permission,
          ),
        }))
        assertNoMore({ ...truth, roles: narrower }, truth)
      }),
      runs,
    )
  })

  it('a positive condition never adds rights to an allow with only exceptions', () => {
    check(
      fc.property(fixture, role, (truth, donor) => {
        const demands = donor.permissions
          .flatMap((permission) => permission.conditions ?? [])
          .filter((condition) => !condition.is_denied)
        const narrower = truth.roles.map((each) => ({
          ...each,
          permissions: each.permissions.map((permission) =>
            !permission.is_denied && !permission.conditions?.some((condition) => !condition.is_denied)
              ? { ...permission, conditions: [...(permission.conditions ?? []), ...demands] }
              : permission,
          ),
        }))
        assertNoMore({ ...truth, roles: narrower }, truth)
      }),
      runs,
    )
  })

  it('renaming a group changes nothing when the same patterns match', () => {
    check(
      fc.property(fixture, (truth) => {
        // "abc" and "xyz" match the same patterns of the generator, except the wildcard "a.c" and confinements.
        const renamed = {
          ...truth,
          groups: truth.groups.map((each) =>
            each.group_reference === 'abc' ? { ...each, group_reference: 'xyz' } : each,
          ),
          group_references: truth.group_references?.map((name) => (name === 'abc' ? 'xyz' : name)),
        }
        const [a, b] = [accessIn(truth), accessIn(renamed)]
        for (const action of ACTIONS) assert.deepEqual(b.lanes(action), a.lanes(action))
      }),
      runs,
    )
  })

  it('the order of roles and of groups does not matter', () => {
    check(
      fc.property(fixture, (truth) => {
        const turned = { ...truth, roles: truth.roles.toReversed(), groups: truth.groups.toReversed() }
        assertNoMore(truth, turned)
        assertNoMore(turned, truth)
      }),
      runs,
    )
  })

  it('a new group changes nothing for the existing groups', () => {
    check(
      fc.property(fixture, group, (truth, extra) => {
        fc.pre(!truth.groups.some((each) => each.group_reference === extra.group_reference))
        const larger = { ...truth, groups: [...truth.groups, { ...extra, group_id: 500 }] }
        assertNoMore(truth, larger)
        assertNoMore({ ...larger, groups: truth.groups }, truth)
      }),
      runs,
    )
  })

  it('access to an unknown group is refused unless it is granted afterwards as well', () => {
    check(
      fc.property(fixture, group, (truth, extra) => {
        fc.pre(!truth.groups.some((each) => each.group_reference === extra.group_reference))
        const [before, after] = [
          accessIn(truth),
          accessIn({ ...truth, groups: [...truth.groups, { ...extra, group_id: 500 }] }),
        ]
        for (const action of ACTIONS) {
          if (before.permits(action, { group_id: 500 })) assert.ok(after.permits(action, { group_id: 500 }))
        }
      }),
      runs,
    )
  })

  it('confining a person to groups never adds rights', () => {
    check(
      fc.property(fixture, fc.subarray(['North', 'EU']), (truth, group_references) =>
        assertNoMore({ ...truth, group_references }, { ...truth, group_references: undefined }),
      ),
      runs,
    )
  })
})

describe('a deliberately broken evaluator', () => {
  const eachPermission =
    (change: (permission: Fixture['roles'][0]['permissions'][0]) => object) => (truth: Fixture) => ({
      ...truth,
      roles: truth.roles.map((each) => ({
        ...each,
        permissions: each.permissions.map((permission) => ({ ...permission, ...change(permission) })),
      })),
    })
  const eachCondition = (change: (condition: { is_denied?: boolean }) => object) =>
    eachPermission(({ conditions }) => ({
      conditions: conditions?.map((each) => ({ ...each, ...change(each) })),
    }))
  const firstTypes = (truth: Fixture) => truth.roles[0]?.payload_types ?? []
  const mutants: Record<string, (truth: Fixture) => Fixture> = {
    'denies are forgotten': (truth) => ({
      ...truth,
      roles: truth.roles.map((each) => ({
        ...each,
        permissions: each.permissions.filter((p) => !p.is_denied),
      })),
    }),
    'the types of one role apply to all roles': (truth) => ({
      ...truth,
      roles: truth.roles.map((each) => ({ ...each, payload_types: firstTypes(truth) })),
    }),
    'networks of roles are ignored': (truth) => ({
      ...truth,
      roles: truth.roles.map((each) => ({ ...each, cidr_ranges: [] })),
    }),
    'the network of the account is ignored': (truth) => ({ ...truth, account_ranges: [] }),
    'the group limit of the person is ignored': (truth) => ({ ...truth, group_references: undefined }),
    'conditions are ignored': eachPermission(() => ({ conditions: [] })),
    'exceptions are read as positive conditions': eachCondition(() => ({ is_denied: false })),
    'positive conditions are read as exceptions': eachCondition(() => ({ is_denied: true })),
    'regular expressions are read as wildcards': eachPermission(() => ({ is_regex: false })),
    'key and value may be on different tags': (truth) => ({
      ...truth,
      groups: truth.groups.map((each) => ({
        ...each,
        tags: each.tags.flatMap(({ key }) => each.tags.map(({ value }) => ({ key, value }))),
      })),
    }),
    'only the first condition counts': eachPermission(({ conditions }) => ({
      conditions: conditions?.slice(0, 1),
    })),
    'patterns need not match from the start': eachPermission(({ actions_matching, is_regex }) => ({
      actions_matching: actions_matching.map((pattern) => (is_regex ? `.*(?:${pattern})` : `*${pattern}`)),
    })),
  }
  for (const [fault, tamper] of Object.entries(mutants)) {
    it(`differs from the oracle when ${fault}`, () => {
      const found = fc.check(
        fc.property(fixture, (truth) => differences(truth, tamper) === 0),
        { numRuns: 4000, seed: 1, endOnFailure: true },
      )
      assert.ok(found.failed, 'no world told the broken evaluator from the oracle')
    })
  }
})
