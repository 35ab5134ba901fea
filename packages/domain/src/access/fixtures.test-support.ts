import type { Condition, PayloadType, Permission } from '@custodia/contract'
import fc from 'fast-check'
import { type Access, evaluate } from './evaluate.ts'
import { type GroupIndex, indexGroups } from './group-index.ts'
import type { Holding } from './holding.ts'
import { compileNetworks } from './networks.ts'
import {
  type Fixture,
  type FixtureGroup,
  type FixtureRole,
  oracleAllows,
  type Place,
} from './oracle.test-support.ts'
import { type CompiledRole, compileRole } from './role-sum.ts'

/** Random fixtures for the access tests: small alphabets, so that patterns, names and tags often meet. */

export const ACTIONS = [
  'payloads:list',
  'payloads:play',
  'payloads.audit:read',
  'groups:update',
  'roles:list',
]
/** Three types stand for ten: the others behave as one of these. */
export const TYPES: PayloadType[] = ['Call', 'SMS', 'Photo']

const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 2 })
const actionWildcard = fc.constantFrom(
  '*',
  'payloads:*',
  'payloads*',
  '*:list',
  'payloads:pla?',
  'roles:list',
  'PAYLOADS:*',
)
const actionRegex = fc.constantFrom('.*', 'payloads:.*', '.*:(list|play)', '[a-z]+:list', 'list', '(')
const nameWildcard = fc.constantFrom('*', 'North*', 'North ?', 'north*', '*th*', 'North', 'EU', '??', 'a.c')
const nameRegex = fc.constantFrom('.*', 'North( \\d)?', 'N.*', 'EU|US', '[A-Z]{2}', 'orth', '[')

const condition = fc.boolean().chain((is_regex): fc.Arbitrary<Condition> => {
  const patterns = fc.option(list(is_regex ? nameRegex : nameWildcard), { nil: undefined })
  return fc.record({
    names_matching: patterns,
    keys_matching: patterns,
    values_matching: patterns,
    is_denied: fc.boolean(),
    is_regex: fc.constant(is_regex),
  })
})
const permission = fc.boolean().chain((is_regex): fc.Arbitrary<Permission> =>
  fc.record({
    actions_matching: list(is_regex ? actionRegex : actionWildcard),
    is_denied: fc.oneof(
      { weight: 3, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    is_regex: fc.constant(is_regex),
    conditions: fc.option(fc.array(condition, { maxLength: 3 }), { nil: undefined }),
  }),
)
const name = fc.constantFrom('North', 'North 1', 'North 2', 'EU', 'US', 'abc', 'Südost')
const ranges = fc.constantFrom<string[]>(
  [],
  [],
  [],
  ['10/8'],
  ['192.168.1.0/24'],
  ['10.1.0.0/16', '0.0.0.0/0'],
)

export const role: fc.Arbitrary<FixtureRole> = fc.record({
  role_reference: fc.constantFrom('R1', 'R2', 'R3'),
  permissions: fc.array(permission, { minLength: 1, maxLength: 4 }),
  payload_types: fc.subarray(TYPES),
  cidr_ranges: ranges,
  is_alertable: fc.constantFrom(false, false, true),
})
export const group: fc.Arbitrary<Omit<FixtureGroup, 'group_id'>> = fc.record({
  group_reference: name,
  tags: fc.array(fc.record({ key: name, value: name }), { maxLength: 3 }),
  is_reserved: fc.constantFrom(false, false, false, true),
})
export const fixture: fc.Arbitrary<Fixture> = fc.record({
  groups: fc
    .uniqueArray(group, { maxLength: 4, selector: (each) => each.group_reference })
    .map((groups) => groups.map((each, i) => ({ ...each, group_id: 100 + i }))),
  roles: fc.array(role, { maxLength: 3 }),
  account_ranges: fc.constantFrom<string[]>([], [], [], ['10/8']),
  ip: fc.constantFrom('10.1.2.3', '192.168.1.9', '172.16.0.1'),
  group_references: fc.option(fc.subarray(['North', 'EU', 'abc', 'Unknown']), { nil: undefined, freq: 3 }),
})

export const NO_ALERTS = { ops_read: false, ops_write: false, sec_read: false, sec_write: false }

/** The roles of a fixture against its groups, or others. */
export function compiledIn(
  { groups, roles }: Pick<Fixture, 'groups' | 'roles'>,
  groupIndex: GroupIndex = indexGroups(groups),
): CompiledRole[] {
  return roles.map((each) =>
    compileRole(
      { ...each, alert_permissions: NO_ALERTS, is_alertable: each.is_alertable ?? false },
      groupIndex,
      ACTIONS,
    ),
  )
}

/** The evaluator's view of a fixture. */
export function accessIn(truth: Fixture): Access {
  const { account_ranges, ip, group_references } = truth
  return evaluate(
    { roles: compiledIn(truth), ip, group_references },
    { networks: compileNetworks(account_ranges) },
  )
}

export type Decision = { action: string; place: Place; type: PayloadType | undefined }

/** Every question that can be asked in a fixture. */
export function decisionsIn(
  { groups }: Pick<Fixture, 'groups'>,
  types: readonly PayloadType[] = TYPES,
): Decision[] {
  return ACTIONS.flatMap((action) => [
    { action, place: 'nothing', type: undefined } as const,
    ...[null, 'later' as const, ...groups].flatMap((place) =>
      [undefined, ...types].map((type) => ({ action, place, type })),
    ),
  ])
}

/** The evaluator's answer. */
export function allows(access: Access, { action, place, type }: Decision): boolean {
  if (place === 'nothing') return access.allowsGroupless(action)
  const group_id = place === null ? null : place === 'later' ? LATER_GROUP_ID : place.group_id
  return access.permits(action, { group_id, payload_type: type })
}

/** Of no group in any fixture. */
export const LATER_GROUP_ID = 999

/** Worlds as seen from several addresses, with alerts or without, for tests of the escalation guard. */

/** Those of the fixtures, and one that stands for all types that no role of a fixture names. */
export const ALL_TYPES: PayloadType[] = [...TYPES, 'Video']

const free = (each: FixtureRole): FixtureRole => ({ ...each, cidr_ranges: [], is_alertable: false })
/** The same roles without networks and alerts. */
export const anywhere = <W extends { roles: FixtureRole[] }>(truth: W) => ({
  ...truth,
  account_ranges: [],
  roles: truth.roles.map(free),
})
export const getHolding = (truth: Fixture, rest: Partial<Holding> = {}): Holding => ({
  roles: compiledIn(truth),
  group_references: truth.group_references,
  ...rest,
})
export const oracle = (truth: Fixture, { action, place, type }: Decision) =>
  oracleAllows(truth, action, place, type)

/** The caller's address, and whether only rights without an alert count. */
export type Origin = { ip: string; unwatched: boolean }
/** One address for each way in which the networks of the fixtures differ; no range of theirs holds the last. */
export const ADDRESSES = ['10.1.2.3', '192.168.1.9', '172.16.0.1', '2001:db8::1']
export const WAYS: Origin[] = ADDRESSES.flatMap((ip) => [false, true].map((unwatched) => ({ ip, unwatched })))

const onlyDenials = (each: FixtureRole): FixtureRole => ({
  ...each,
  permissions: each.permissions.filter((permission) => permission.is_denied),
})
export const onWay = (truth: Fixture, { ip, unwatched }: Origin): Fixture => ({
  ...truth,
  ip,
  roles: truth.roles.map((each) => (unwatched && each.is_alertable ? onlyDenials(each) : each)),
})
/** A person as they call from their address: other roles give them nothing to grant. */
export const here = (truth: Fixture): Fixture => {
  const [open, shut] = [anywhere({ ...truth, roles: [] }), truth.ip]
  const admits = (each: FixtureRole) =>
    oracleAllows(
      { ...open, ip: shut, roles: [{ ...free(everything), cidr_ranges: each.cidr_ranges }] },
      'roles:list',
      'nothing',
      undefined,
    )
  return { ...truth, roles: truth.roles.map((each) => (admits(each) ? each : onlyDenials(each))) }
}

/** A role with all permissions. */
export const everything: FixtureRole = {
  role_reference: 'R0',
  permissions: [{ actions_matching: ['*'] }],
  payload_types: [],
  cidr_ranges: [],
}
