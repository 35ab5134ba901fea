import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'node:test'
import { exceeds } from './compare.ts'
import { indexGroups } from './group-index.ts'
import type { Fixture } from './oracle.test-support.ts'
import {
  ACTIONS,
  ALL_TYPES,
  anywhere,
  compiledIn,
  decisionsIn,
  fixture,
  here,
  holdingOf,
  onWay,
  oracle,
  WAYS,
} from './fixtures.test-support.ts'

const RUNS = process.env['TEST_LONG'] ? 1000 : 200
const check = <T>(property: fc.IProperty<T>, numRuns = RUNS) => fc.assert(property, { numRuns })

/** Two sets of roles over the same groups; those of the second count as seen from an address, or from any. */
const pair = fc.record({ given: fixture, held: fixture, hasAddress: fc.boolean() }).map((each) => {
  const given = { ...each.given, account_ranges: [] }
  return {
    given,
    held: { ...each.held, groups: given.groups, account_ranges: [] },
    hasAddress: each.hasAddress,
  }
})

function excessOf(given: Fixture, held: Fixture, hasAddress: boolean) {
  const groupIndex = indexGroups(given.groups)
  return exceeds(
    holdingOf(given, { roles: compiledIn(given, groupIndex) }),
    holdingOf(held, { roles: compiledIn(held, groupIndex), ip: hasAddress ? held.ip : undefined }),
    ACTIONS,
  )
}

/** What is given on some way on which it is not held, and why. */
function beyondIn(given: Fixture, whole: Fixture, hasAddress: boolean) {
  const held = hasAddress ? here(whole) : whole
  const ways = WAYS.map((way) => ({ way, given: onWay(given, way), held: onWay(held, way) }))
  const heldSomehow = anywhere(held)
  return decisionsIn(given, ALL_TYPES).flatMap((decision) => {
    const lacking = ways.filter((each) => oracle(each.given, decision) && !oracle(each.held, decision))
    if (lacking.length === 0) return []
    const isWatch = lacking.every(({ way }) => way.unwatched)
    const limit = !oracle(heldSomehow, decision) ? 'reach' : isWatch ? 'watch' : 'networks'
    return [{ ...decision, limit }]
  })
}

describe('the excess of roles over an actor, against the oracle', () => {
  it('is empty exactly when the actor has all of the rights', (t) => {
    let empty = 0
    check(
      fc.property(pair, ({ given, held, hasAddress }) => {
        const rows = excessOf(given, held, hasAddress)
        if (rows.length === 0) empty++
        assert.equal(rows.length === 0, beyondIn(given, held, hasAddress).length === 0)
      }),
    )
    t.diagnostic(`${empty} of ${RUNS} without excess`)
    assert.ok(empty > RUNS / 10 && empty < RUNS * 0.9, `${empty} of ${RUNS}: a lopsided generator`)
  })

  it('names the actions, groups, payload types and limits, each once', () => {
    check(
      fc.property(pair, ({ given, held, hasAddress }) => {
        const rows = excessOf(given, held, hasAddress)
        const beyond = beyondIn(given, held, hasAddress)
        assert.deepEqual(
          [...new Set(rows.map(({ action }) => action))].sort(),
          [...new Set(beyond.map(({ action }) => action))].sort(),
        )
        const stated = rows.flatMap(({ action, limit, payload_types, groups }) =>
          groups.first.flatMap((name) =>
            payload_types
              .filter((type) => ALL_TYPES.includes(type))
              .map((type) => [action, name, type, limit].join()),
          ),
        )
        const meant = beyond.flatMap(({ action, place, type, limit }) =>
          place !== null && typeof place === 'object' && !place.is_reserved && type
            ? [[action, place.group_reference, type, limit].join()]
            : [],
        )
        assert.deepEqual(stated.sort(), meant.sort())
      }),
    )
  })

  it('is empty for the actor’s own roles', () => {
    check(
      fc.property(fixture, (truth) => {
        assert.deepEqual(exceeds(holdingOf(truth), holdingOf(truth), ACTIONS), [])
      }),
    )
  })

  const mutants: Record<string, (held: Fixture) => Fixture> = {
    'denials of the actor are forgotten': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({
        ...each,
        permissions: each.permissions.filter((permission) => !permission.is_denied),
      })),
    }),
    'the group limit of the actor is ignored': (held) => ({ ...held, group_references: undefined }),
    'payload types of the actor are ignored': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({ ...each, payload_types: [] })),
    }),
    'conditions of the actor are ignored': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({
        ...each,
        permissions: each.permissions.map((permission) => ({ ...permission, conditions: [] })),
      })),
    }),
    'networks of the actor are ignored': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({ ...each, cidr_ranges: [] })),
    }),
    'alerts of the actor are ignored': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({ ...each, is_alertable: false })),
    }),
    'the roles of the actor are ignored': (held) => ({ ...held, roles: [] }),
  }
  for (const [fault, tamper] of Object.entries(mutants)) {
    it(`differs from the oracle when ${fault}`, () => {
      const found = fc.check(
        fc.property(
          pair,
          ({ given, held, hasAddress }) =>
            (excessOf(given, tamper(held), hasAddress).length === 0) ===
            (beyondIn(given, held, hasAddress).length === 0),
        ),
        { numRuns: 4000, seed: 1, endOnFailure: true },
      )
      assert.ok(found.failed, 'no fixture distinguished the broken guard from the oracle')
    })
  }
})
