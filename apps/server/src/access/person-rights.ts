import { type ClaimMapping, type Fault, fault, type GivenRole, type RoleAssignment } from '@custodia/contract'
import {
  type Access,
  applyMapping,
  type ClaimDefaults,
  type ClaimedRights,
  type ClaimValues,
  evaluate,
} from '@custodia/domain'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { findAssignments } from './assignment-store.ts'
import type { Rights } from './rights.ts'

/** Roles of the first administrator of an account, while neither claims nor assignments give one of the account. */
const FIRST_ROLES = {
  client: ['Account Administrator'],
  provider: ['Provider Administrator', 'Account Administrator'],
} as const

/** The client of a person, as far as it decides about their rights. */
export interface RightsOwner {
  is_provider: boolean
  first_administrator: string | null
  claim_mapping: ClaimMapping
}

/** Whether this is the person whom the account was created with. A person is known by the reference that is theirs for good. */
export const isFirstAdministrator = (
  { first_administrator }: Pick<RightsOwner, 'first_administrator'>,
  user_reference: string,
): boolean => first_administrator !== null && first_administrator === user_reference

/** What is known of a person whose rights are asked for. */
export interface RightsSubject {
  user_reference: string
  values: ClaimValues
  /** What they are assigned in the portal; undefined: nothing. */
  assigned: RoleAssignment | undefined
}

/**
 * The roles and groups of a person. The first administrator administers the account while no role that they are given exists there: providers
 * send roles of their own, which must not lock them out.
 */
export function rightsOfPerson(
  client: RightsOwner,
  { user_reference, values, assigned }: RightsSubject,
  { defaults, exists }: { defaults: ClaimDefaults | undefined; exists: (role: string) => boolean },
): ClaimedRights {
  const rights = applyMapping(
    client.claim_mapping,
    values,
    defaults,
    assigned && { roles: assigned.roles.map(({ role }) => role), groups: assigned.groups },
  )
  const isGiven = rights.roles.some(({ role, source }) => source !== 'default' && exists(role))
  if (isGiven || !isFirstAdministrator(client, user_reference)) return rights
  const roles = FIRST_ROLES[client.is_provider ? 'provider' : 'client'].map((role): GivenRole => ({
    role,
    source: 'first_administrator',
    value: null,
  }))
  return { ...rights, roles }
}

/** Roles and groups that the client does not have, as faults at `path`. */
export function unknownNames(
  { roles, groupIndex }: Rights,
  path: string,
  names: { roles: readonly string[]; groups: readonly string[] | null },
): Fault[] {
  const groups = new Set(
    groupIndex.groups.flatMap((each) => (each.is_reserved ? [] : [each.group_reference])),
  )
  const unknown = (field: 'roles' | 'groups', isKnown: (name: string) => boolean) =>
    (names[field] ?? []).flatMap((value, i) =>
      isKnown(value) ? [] : [fault(`${path}${field}.${i}`, 'unknown_reference', { value })],
    )
  return [...unknown('roles', (name) => roles.has(name)), ...unknown('groups', (name) => groups.has(name))]
}

/** With which roles are assigned. */
export const ASSIGN = 'people.roles:update'

/**
 * Where roles are assigned in the portal, some person must be left who may assign them, from any network. To be asked after a change, within its
 * transaction. Problem: last_administrator.
 */
export async function assertAdministered(q: Queryable, rights: Rights, client: RightsOwner): Promise<void> {
  if (client.claim_mapping.roles_from !== 'portal') return
  const { first_administrator: first } = client
  const assignments = await findAssignments(q)
  const people = [...assignments.keys(), ...(first === null || assignments.has(first) ? [] : [first])]
  const exists = (role: string) => rights.roles.has(role)
  const mayAssign = people.some((user_reference) => {
    const subject = { user_reference, values: {}, assigned: assignments.get(user_reference) }
    const { roles } = rightsOfPerson(client, subject, { defaults: undefined, exists })
    return accessAnywhere(rights, roles, null).allowsGroupless(ASSIGN)
  })
  if (!mayAssign) throw new Problem('last_administrator')
}

/** What these roles permit from any network. */
export function accessAnywhere(
  rights: Rights,
  given: readonly Pick<GivenRole, 'role'>[],
  groups: readonly string[] | null,
): Access {
  const roles = given.flatMap(({ role }) => rights.roles.get(role) ?? [])
  const anywhere = roles.map((role) => ({ ...role, networks: 'any' as const }))
  return evaluate({ roles: anywhere, ip: '', group_references: groups ?? undefined }, { networks: 'any' })
}
