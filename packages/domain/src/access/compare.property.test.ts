import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { changedReach, exceeds, widening } from './compare.ts'
import {
  ACTIONS,
  ADDRESSES,
  ALL_TYPES,
  anywhere,
  compiledIn,
  decisionsIn,
  everything,
  fixture,
  group,
  here,
  getHolding,
  onWay,
  oracle,
  role,
  WAYS,
} from './fixtures.test-support.ts'
import { indexGroups } from './group-index.ts'
import type { Fixture, FixtureGroup, FixtureRole, Place } from './oracle.test-support.ts'

const LONG = process.env['TEST_LONG'] === 'true'
const RUNS = LONG ? 1000 : 200
const check = <T>(property: fc.IProperty<T>, numRuns = RUNS) => fc.assert(property, { numRuns })

/**
 * A change: groups lose, gain and change tags; a role is made, changed or removed; another person holds other roles
 * too.
 */
const change = fc.record({
  before: fixture,
  tags: fc.array(fc.option(group, { nil: undefined, freq: 2 }), { minLength: 4, maxLength: 4 }),
  fresh: fc.option(group, { nil: undefined }),
  roleBefore: fc.option(role, { nil: undefined, freq: 4 }),
  roleAfter: fc.option(role, { nil: undefined, freq: 4 }),
  sameRole: fc.boolean(),
  company: fc.array(role, { maxLength: 2 }),
  way: fc.constantFrom(...WAYS),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function playOut({ before: start, tags, fresh, roleBefore, roleAfter, sameRole, company, way }: Change) {
  const old = start.groups
  const changed: FixtureGroup[] = old.map((each, i) => ({ ...each, tags: tags[i]?.tags ?? each.tags }))
  const isNew = fresh && !old.some((each) => each.group_reference === fresh.group_reference)
  const now = isNew ? [...changed, { ...fresh, group_id: 500 }] : changed
  const [was, is] = [roleBefore, sameRole ? roleBefore : roleAfter]
  const holder = (groups: FixtureGroup[], own: FixtureRole | undefined): Fixture => ({
    groups,
    roles: own ? [own, ...company] : company,
    account_ranges: [],
    ip: way.ip,
    group_references: undefined,
  })
  const compiled = (groups: FixtureGroup[], roles: FixtureRole[]) => compiledIn({ groups, roles })
  /** The same place before the change. */
  const earlier = (place: Place): Place =>
    place !== null && typeof place === 'object'
      ? (old.find((each) => each.group_id === place.group_id) ?? 'later')
      : place
  const holderBefore = onWay(holder(old, was), way)
  const holderAfter = onWay(holder(now, is), way)
  const [before] = compiled(old, was ? [was] : [])
  const [after] = compiled(now, is ? [is] : [])
  const companyAfter = compiled(now, company)
  return {
    before,
    after,
    /** Every role that the change touches: the changed one, and the others where tags of groups changed. */
    pairs: [
      [before, after] as const,
      ...compiled(old, company).map((each, i) => [each, companyAfter[i]] as const),
    ],
    earlier,
    /** What the holder of all of them may do by the change, on its way. */
    gained: decisionsIn({ groups: now }, ALL_TYPES).filter(
      (decision) =>
        oracle(holderAfter, decision) &&
        !oracle(holderBefore, { ...decision, place: earlier(decision.place) }),
    ),
    /** What a person who holds the changed role only may do after the change, anywhere. */
    gainedAlone: decisionsIn({ groups: now }, ALL_TYPES).filter(
      (decision) =>
        is &&
        oracle({ ...anywhere({ ...holderAfter, roles: [is] }) }, decision) &&
        !(
          was &&
          oracle(anywhere({ ...holderBefore, roles: [was] }), { ...decision, place: earlier(decision.place) })
        ),
    ),
  }
}

describe('the changed reach of a role, against the oracle', () => {
  it('is wider when the role alone reaches more, and names the gained groups', () => {
    check(
      fc.property(change, (each) => {
        const { before, after, gainedAlone } = playOut(each)
        const found = changedReach(before, after, ACTIONS)
        if (gainedAlone.length > 0) assert.ok(found.is_wider)
        for (const { place } of gainedAlone) {
          if (place !== null && typeof place === 'object' && !place.is_reserved) {
            assert.ok(found.groups_gained.first.includes(place.group_reference))
          }
        }
      }),
    )
  })
})

/** Often a person with many rights, so that changes within their reach occur; other roles may still forbid. */
const getActor = fc.record({
  roles: fc.array(role, { maxLength: 2 }),
  might: fc.constantFrom('everywhere', 'in networks', 'watched', 'none', 'none'),
  holdsTheRole: fc.boolean(),
  ip: fc.constantFrom(undefined, ...ADDRESSES),
})
type Actor = typeof getActor extends fc.Arbitrary<infer T> ? T : never
const MIGHT: Record<Actor['might'], FixtureRole[]> = {
  everywhere: [everything],
  'in networks': [{ ...everything, cidr_ranges: ['10/8'] }],
  watched: [{ ...everything, is_alertable: true }],
  none: [],
}
/** The person who makes the change, as they were before it. */
function playActor(each: Change, { roles, might, holdsTheRole, ip }: Actor) {
  const own = holdsTheRole && each.roleBefore ? [each.roleBefore] : []
  const actor: Fixture = {
    ...each.before,
    account_ranges: [],
    roles: [...MIGHT[might], ...own, ...roles],
    ip: ip ?? '',
  }
  return { holding: getHolding(actor, { ip }), may: ip === undefined ? actor : here(actor) }
}

describe('the excess of a role change over the actor, against the oracle', () => {
  it('reports every new right that the actor lacks', (t) => {
    let empty = 0
    let gains = 0
    check(
      fc.property(change, getActor, (each, who) => {
        const { pairs, gained, earlier } = playOut(each)
        const { holding, may } = playActor(each, who)
        const actor = onWay(may, each.way)
        if (pairs.some(([before, after]) => widening(before, after, holding, ACTIONS).length > 0)) return
        empty++
        gains += gained.length
        for (const decision of gained) {
          assert.ok(oracle(actor, { ...decision, place: earlier(decision.place) }), JSON.stringify(decision))
        }
      }),
    )
    t.diagnostic(`${empty} of ${RUNS} within the actor's own reach, with ${gains} new rights`)
    // Few changes gain much: the sum is 50 to 310 in a thousand runs, and may be 0 in 200.
    assert.ok(
      empty > RUNS / 20 && (!LONG || gains > RUNS / 200),
      `${empty} and ${gains}: a lopsided generator`,
    )
  })
})

/** Two sets of roles over the same groups; those of the second count as seen from an address, or from any. */
const pair = fc.record({ given: fixture, held: fixture, hasAddress: fc.boolean() }).map((each) => {
  const given = { ...each.given, account_ranges: [] }
  return {
    given,
    held: { ...each.held, groups: given.groups, account_ranges: [] },
    hasAddress: each.hasAddress,
  }
})

function getExcess(given: Fixture, held: Fixture, hasAddress: boolean) {
  const groupIndex = indexGroups(given.groups)
  return exceeds(
    getHolding(given, { roles: compiledIn(given, groupIndex) }),
    getHolding(held, { roles: compiledIn(held, groupIndex), ip: hasAddress ? held.ip : undefined }),
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
        const rows = getExcess(given, held, hasAddress)
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
        const rows = getExcess(given, held, hasAddress)
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
})
