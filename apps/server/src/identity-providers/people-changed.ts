import type { ClaimMapping, PersonChange, RoleAssignment } from '@custodia/contract'
import type { ClaimDefaults, ClaimedRights } from '@custodia/domain'
import { type RightsOwner, rightsOfPerson } from '../access/person-rights.ts'
import type { Rights } from '../access/rights.ts'
import { readPortalClaims } from '../ports/identity/claims.ts'
import { SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import type { KnownClaims } from './store.ts'

/** What the account gives where claims do not, and what people are assigned. */
export interface Accounts {
  defaults: ClaimDefaults | undefined
  assignments: ReadonlyMap<string, RoleAssignment>
}

/** A person's rights in a client: `none` where they could not sign in, `unknown` where they depend on claims that are not known. */
export function rightsUnder(
  client: RightsOwner,
  rights: Rights,
  person: Accounts & { user_reference: string; claims: VerifiedIdentity['claims'] | undefined },
): ClaimedRights | 'none' | 'unknown' {
  const { user_reference, claims, assignments, defaults } = person
  const { claim_mapping } = client
  if (claims === undefined && claim_mapping.roles_from === 'claims') return 'unknown'
  try {
    const values = claims ? readPortalClaims(claims, claim_mapping) : {}
    const subject = { user_reference, values, assigned: assignments.get(user_reference) }
    return rightsOfPerson(client, subject, { defaults, exists: (role) => rights.roles.has(role) })
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return 'none'
  }
}

/** Who has other roles or groups where roles are decided elsewhere from now on. Under claims a person has those of their last session. */
export function peopleChanged(
  before: RightsOwner,
  claim_mapping: ClaimMapping,
  rights: Rights,
  { people, others }: Awaited<ReturnType<KnownClaims['ofPeople']>>,
  accounts: Accounts,
): { changes: PersonChange[]; unknown: number } {
  const after = { ...before, claim_mapping }
  const seen = new Set(people.map(({ user_reference }) => user_reference))
  const neverHere = [...accounts.assignments.keys()]
    .filter((user_reference) => others === 0 && !seen.has(user_reference))
    .map((user_reference) => ({ ...NOTHING, user_reference, display_name: null, claims: undefined }))
  const changes: PersonChange[] = []
  let unknown = others
  for (const person of [...people, ...neverHere]) {
    const known = { ...person, ...accounts }
    const was =
      before.claim_mapping.roles_from === 'claims' ? person : given(rightsUnder(before, rights, known))
    const is = given(rightsUnder(after, rights, known))
    if (was === undefined || is === undefined) {
      unknown++
      continue
    }
    const change = {
      user_reference: person.user_reference,
      display_name: person.display_name,
      roles_gained: is.roles.filter((role) => !was.roles.includes(role)),
      roles_lost: was.roles.filter((role) => !is.roles.includes(role)),
      groups_before: was.groups,
      groups_after: is.groups,
    }
    const isMoved =
      is.roles.length > 0 && JSON.stringify(was.groups?.toSorted()) !== JSON.stringify(is.groups?.toSorted())
    if (isMoved || change.roles_gained.length > 0 || change.roles_lost.length > 0) changes.push(change)
  }
  return { changes, unknown }
}

const NOTHING: { roles: string[]; groups: string[] | null } = { roles: [], groups: [] }

/** Roles and groups by name; undefined where they are not known. */
function given(rights: ReturnType<typeof rightsUnder>): typeof NOTHING | undefined {
  if (rights === 'unknown') return undefined
  return rights === 'none' ? NOTHING : { roles: rights.roles.map(({ role }) => role), groups: rights.groups }
}
