import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayloadType } from '@custodia/contract'
import fc from 'fast-check'
import { changedReach, exceeds, widening } from './compare.ts'
import type { Holding } from './compare.ts'
import { groupUniverse } from './group-universe.ts'
import { oracleAllows } from './oracle.test-support.ts'
import type { Place, World, WorldGroup, WorldRole } from './oracle.test-support.ts'
import { ACTIONS, compiledIn, decisionsIn, group, role, TYPES, world } from './worlds.test-support.ts'
import type { Decision } from './worlds.test-support.ts'

/** Raise it for a long run: `ORACLE_DECISIONS=5000000`. */
const RUNS = Math.ceil(Number(process.env.ORACLE_DECISIONS ?? 100_000) / 100)
const check = <T>(property: fc.IProperty<T>, numRuns = RUNS) => fc.assert(property, { numRuns })

/** Those of the worlds, and one that stands for all types that no role of a world names. */
const ALL_TYPES: PayloadType[] = [...TYPES, 'Video']

const anywhere = <W extends { roles: WorldRole[] }>(truth: W) => ({
  ...truth,
  account_ranges: [],
  roles: truth.roles.map((each) => ({ ...each, cidr_ranges: [] })),
})
const holdingOf = (truth: World, rest: Partial<Holding> = {}): Holding => ({
  roles: compiledIn(truth),
  group_references: truth.group_references,
  ...rest,
})
const oracle = (truth: World, { action, place, type }: Decision) => oracleAllows(truth, action, place, type)

/** Two sets of roles over the same groups. */
const pair = fc.record({ given: world, held: world, hasAddress: fc.boolean() }).map((each) => {
  const given = anywhere(each.given)
  const held = { ...each.held, groups: given.groups, account_ranges: [] }
  return { given, held: each.hasAddress ? held : anywhere(held), hasAddress: each.hasAddress }
})

function excessOf(given: World, held: World, hasAddress: boolean) {
  const universe = groupUniverse(given.groups)
  return exceeds(
    holdingOf(given, { roles: compiledIn(given, universe) }),
    holdingOf(held, { roles: compiledIn(held, universe), ip: hasAddress ? held.ip : undefined }),
    ACTIONS,
  )
}

const beyondIn = (given: World, held: World) =>
  decisionsIn(given, ALL_TYPES).filter((decision) => oracle(given, decision) && !oracle(held, decision))

describe('what roles grant beyond an actor, against the oracle', () => {
  it('is empty exactly when the actor may do all of it', (t) => {
    let empty = 0
    check(
      fc.property(pair, ({ given, held, hasAddress }) => {
        const rows = excessOf(given, held, hasAddress)
        if (rows.length === 0) empty++
        assert.equal(rows.length === 0, beyondIn(given, held).length === 0)
      }),
    )
    t.diagnostic(`${empty} of ${RUNS} without excess`)
    assert.ok(empty > RUNS / 10 && empty < RUNS * 0.9, `${empty} of ${RUNS}: a lopsided generator`)
  })

  it('names the actions, groups and payload types, each once', () => {
    check(
      fc.property(pair, ({ given, held, hasAddress }) => {
        const rows = excessOf(given, held, hasAddress)
        const beyond = beyondIn(given, held)
        assert.deepEqual(
          [...new Set(rows.map(({ action }) => action))].sort(),
          [...new Set(beyond.map(({ action }) => action))].sort(),
        )
        const said = rows.flatMap(({ action, payload_types, groups }) =>
          groups.first.flatMap((name) =>
            payload_types
              .filter((type) => ALL_TYPES.includes(type))
              .map((type) => [action, name, type].join()),
          ),
        )
        const meant = beyond.flatMap(({ action, place, type }) =>
          place !== null && typeof place === 'object' && type
            ? [[action, place.group_reference, type].join()]
            : [],
        )
        assert.deepEqual(said.sort(), meant.sort())
      }),
    )
  })

  it('is nothing for oneself', () => {
    check(
      fc.property(world, (truth) => {
        assert.deepEqual(exceeds(holdingOf(truth), holdingOf(truth), ACTIONS), [])
      }),
    )
  })

  const mutants: Record<string, (held: World) => World> = {
    'denials of the actor are forgotten': (held) => ({
      ...held,
      roles: held.roles.map((each) => ({
        ...each,
        permissions: each.permissions.filter((permission) => !permission.is_denied),
      })),
    }),
    'the confinement of the actor is ignored': (held) => ({ ...held, group_references: undefined }),
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
    'networks of the actor are ignored': anywhere,
    'the actor is taken for nobody': (held) => ({ ...held, roles: [] }),
  }
  for (const [fault, tamper] of Object.entries(mutants)) {
    it(`is noticed when ${fault}`, () => {
      const found = fc.check(
        fc.property(
          pair,
          ({ given, held, hasAddress }) =>
            (excessOf(given, tamper(held), hasAddress).length === 0) === (beyondIn(given, held).length === 0),
        ),
        { numRuns: 4000, seed: 1, endOnFailure: true },
      )
      assert.ok(found.failed, 'nothing told the broken guard from the oracle')
    })
  }
})

/** A change: groups lose, gain and change tags; a role is made, changed or removed; somebody else holds other roles too. */
const change = fc.record({
  before: world,
  tags: fc.array(fc.option(group, { nil: undefined, freq: 2 }), { minLength: 4, maxLength: 4 }),
  fresh: fc.option(group, { nil: undefined }),
  roleBefore: fc.option(role, { nil: undefined, freq: 4 }),
  roleAfter: fc.option(role, { nil: undefined, freq: 4 }),
  sameRole: fc.boolean(),
  company: fc.array(role, { maxLength: 2 }),
  ip: fc.constantFrom('10.1.2.3', '192.168.1.9', '172.16.0.1'),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function playOut({ before: start, tags, fresh, roleBefore, roleAfter, sameRole, company, ip }: Change) {
  const old = start.groups
  const changed: WorldGroup[] = old.map((each, i) => ({ ...each, tags: tags[i]?.tags ?? each.tags }))
  const isNew = fresh && !old.some((each) => each.group_reference === fresh.group_reference)
  const now = isNew ? [...changed, { ...fresh, group_id: 500 }] : changed
  const [was, is] = [roleBefore, sameRole ? roleBefore : roleAfter]
  const holder = (groups: WorldGroup[], own: WorldRole | undefined): World => ({
    groups,
    roles: own ? [own, ...company] : company,
    account_ranges: [],
    ip,
    group_references: undefined,
  })
  const compiled = (groups: WorldGroup[], roles: WorldRole[]) => compiledIn({ groups, roles })
  /** The same place before the change. */
  const earlier = (place: Place): Place =>
    place !== null && typeof place === 'object'
      ? (old.find((each) => each.group_id === place.group_id) ?? 'later')
      : place
  const holderBefore = holder(old, was)
  const holderAfter = holder(now, is)
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
    /** What the holder of all of them may do by the change. */
    gained: decisionsIn({ groups: now }, ALL_TYPES).filter(
      (decision) =>
        oracle(holderAfter, decision) &&
        !oracle(holderBefore, { ...decision, place: earlier(decision.place) }),
    ),
    /** What somebody may do by the change who holds the changed role only, anywhere. */
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

describe('how a change moves what a role reaches, against the oracle', () => {
  it('is called wider whenever the role alone reaches more, and names action or group', () => {
    check(
      fc.property(change, (each) => {
        const { before, after, gainedAlone } = playOut(each)
        const found = changedReach(before, after, ACTIONS)
        if (gainedAlone.length > 0) assert.ok(found.is_wider)
        for (const { place } of gainedAlone) {
          if (place !== null && typeof place === 'object') {
            assert.ok(found.groups_gained.first.includes(place.group_reference))
          }
        }
      }),
    )
  })

  it('is called wider whenever somebody with other roles as well gains by it', () => {
    check(
      fc.property(change, (each) => {
        const { pairs, gained } = playOut(each)
        const isWider = pairs.some(([before, after]) => changedReach(before, after, ACTIONS).is_wider)
        if (gained.length > 0) assert.ok(isWider)
      }),
    )
  })

  it('turns round when the change is undone', () => {
    check(
      fc.property(change, (each) => {
        const { before, after } = playOut(each)
        const there = changedReach(before, after, ACTIONS)
        const back = changedReach(after, before, ACTIONS)
        assert.deepEqual(back.groups_gained, there.groups_lost)
        assert.deepEqual(back.actions_gained, there.actions_lost)
        assert.equal(back.is_wider, there.is_narrower)
        assert.equal(changedReach(after, after, ACTIONS).is_wider, false)
      }),
    )
  })
})

/** Often somebody who may do much, so that changes within their reach are met; other roles may still forbid. */
const everything: WorldRole = {
  role_reference: 'R0',
  permissions: [{ actions_matching: ['*'] }],
  payload_types: [],
  cidr_ranges: [],
}
const actorRoles = fc
  .record({ roles: fc.array(role, { maxLength: 2 }), isMighty: fc.boolean() })
  .map(({ roles, isMighty }) => (isMighty ? [everything, ...roles] : roles))

describe('what a change newly grants beyond the actor, against the oracle', () => {
  it('leaves nobody with a new right that the actor lacks, unless it says so', (t) => {
    let empty = 0
    let gains = 0
    check(
      fc.property(change, actorRoles, (each, roles) => {
        const { pairs, gained, earlier } = playOut(each)
        const actor: World = anywhere({ ...each.before, roles })
        const holding = holdingOf(actor)
        if (pairs.some(([before, after]) => widening(before, after, holding, ACTIONS).length > 0)) return
        empty++
        gains += gained.length
        for (const decision of gained) {
          assert.ok(oracle(actor, { ...decision, place: earlier(decision.place) }), JSON.stringify(decision))
        }
      }),
    )
    t.diagnostic(`${empty} of ${RUNS} within the actor's own reach, with ${gains} new rights`)
    assert.ok(empty > RUNS / 20 && gains > RUNS / 20, `${empty} and ${gains}: a lopsided generator`)
  })

  it('is nothing when the role gets narrower, and all of it when it is new', () => {
    check(
      fc.property(change, actorRoles, (each, roles) => {
        const { before, after } = playOut(each)
        const actor = holdingOf(anywhere({ ...each.before, roles }))
        if (!changedReach(before, after, ACTIONS).is_wider) {
          assert.deepEqual(widening(before, after, actor, ACTIONS), [])
        }
        assert.deepEqual(
          widening(undefined, after, actor, ACTIONS),
          after ? exceeds({ roles: [after] }, actor, ACTIONS) : [],
        )
      }),
    )
  })
})
