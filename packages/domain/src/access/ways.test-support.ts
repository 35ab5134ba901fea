/** Worlds as seen from several addresses, with alerts or without, for tests of the escalation guard. */
import type { PayloadType } from '@custodia/contract'
import type { Holding } from './holding.ts'
import { oracleAllows } from './oracle.test-support.ts'
import type { Fixture, FixtureRole } from './oracle.test-support.ts'
import { compiledIn, TYPES } from './fixtures.test-support.ts'
import type { Decision } from './fixtures.test-support.ts'

/** Those of the fixtures, and one that stands for all types that no role of a fixture names. */
export const ALL_TYPES: PayloadType[] = [...TYPES, 'Video']

const free = (each: FixtureRole): FixtureRole => ({ ...each, cidr_ranges: [], is_alertable: false })
/** The same roles without networks and alerts. */
export const anywhere = <W extends { roles: FixtureRole[] }>(truth: W) => ({
  ...truth,
  account_ranges: [],
  roles: truth.roles.map(free),
})
export const holdingOf = (truth: Fixture, rest: Partial<Holding> = {}): Holding => ({
  roles: compiledIn(truth),
  group_references: truth.group_references,
  ...rest,
})
export const oracle = (truth: Fixture, { action, place, type }: Decision) =>
  oracleAllows(truth, action, place, type)

/** Where somebody calls from, and whether only rights count whose use raises no alert. */
export type Way = { ip: string; unwatched: boolean }
/** One address for each way in which the networks of the fixtures differ; no range of theirs holds the last. */
export const ADDRESSES = ['10.1.2.3', '192.168.1.9', '172.16.0.1', '2001:db8::1']
export const WAYS: Way[] = ADDRESSES.flatMap((ip) => [false, true].map((unwatched) => ({ ip, unwatched })))

const onlyDenials = (each: FixtureRole): FixtureRole => ({
  ...each,
  permissions: each.permissions.filter((permission) => permission.is_denied),
})
export const onWay = (truth: Fixture, { ip, unwatched }: Way): Fixture => ({
  ...truth,
  ip,
  roles: truth.roles.map((each) => (unwatched && each.is_alertable ? onlyDenials(each) : each)),
})
/** Somebody as they call from their address: other roles give them nothing to pass on. */
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

/** Somebody who may do all. */
export const everything: FixtureRole = {
  role_reference: 'R0',
  permissions: [{ actions_matching: ['*'] }],
  payload_types: [],
  cidr_ranges: [],
}
