import {
  type AccessImpact,
  api,
  DAY,
  type Fault,
  fault,
  type PersonRolesInput,
  type RoleAssignment,
  TEMPORARY_ACCESS_DAYS,
} from '@custodia/contract'
import type { ClaimedRights } from '@custodia/domain'
import {
  findAssignment,
  temporaryRights,
  writeAssignment,
  writeRightsOfSessions,
} from '../access/assignment-store.ts'
import {
  assertPermitted,
  getChanger,
  givesMore,
  mayGrantRoles,
  previewGrantImpact,
  previewImpact,
} from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import {
  ASSIGN,
  assertAdministered,
  isFirstAdministrator,
  rightsOfPerson,
  unknownNames,
} from '../access/person-rights.ts'
import { getDocuments, type Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import { findDefaults } from '../account/store.ts'
import { settleAlert } from '../alerts/raise.ts'
import { type Client, readOwnClient } from '../clients/store.ts'
import { findOpenMatters } from '../held-records/store.ts'
import { getActor, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { supersede, proposeIfAsked } from '../proposals/propose.ts'
import type { DeferredAct } from '../proposals/store.ts'
import { temporaryAccessAlert } from './jobs.ts'
import { versionOfAssignment } from './membership.ts'
import { endSessionsOf } from './store.ts'

const KIND = 'AssignRoles'

/** Handlers of the assignment of roles and groups to people in the portal. */
export const assignmentRoutes = (book: AccessCache): Handlers<'savePersonRoles' | 'reviewPersonRoles'> => ({
  async savePersonRoles(context, { params: { user_reference }, query, body }) {
    const by = { by: getActor(context.caller), now: context.now }
    return context.write(async (tx) => {
      const rights = await book.beginChange(tx, context)
      const before = await readBefore(tx, user_reference, context.now)
      const isKnown = before.assigned !== undefined || context.request.headers['if-match'] !== undefined
      assertUnchanged(context, isKnown ? versionOfAssignment(before.assigned) : undefined)
      const { problems, impact, isWider } = await validate(context, tx, rights, before, body)
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems.slice(0, 100) })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_assignment', name: user_reference },
        confirm_lockout: query.confirm_lockout,
      })
      if (isWider) {
        const proposed = await proposeIfAsked<typeof KIND>(context, tx, async () => ({
          subject: user_reference,
          act: { kind: KIND, user_reference, ...body, ...getFormer(before.assigned) },
          basis: getBasis(rights, before.assigned, body.roles),
          reason_id: null,
        }))
        if (proposed) return proposed
      }
      await supersede(tx, { kind: KIND, subject: user_reference }, by.by)
      await assign(tx, rights, before, body, by)
      return {}
    })
  },

  reviewPersonRoles: async (context, { params: { user_reference }, body }) =>
    context.read(async (q) => {
      const rights = await book.getRights(q)
      const before = await readBefore(q, user_reference, context.now)
      const { problems, impact } = await validate(context, q, rights, before, body)
      return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
    }),
})

/** Assigns the proposed roles after another person has confirmed them. Problem: last_administrator. */
export const assigningRoles = (book: AccessCache): DeferredAct<typeof KIND> => ({
  async getBasis(tx, { user_reference, roles }) {
    const rights = await book.beginChange(tx)
    return getBasis(rights, await findAssignment(tx, user_reference), roles)
  },
  mayGrant: mayGrantRoles,
  async carryOut(tx, { user_reference, roles, groups, ends_at, matters }, { by, now }) {
    const before = await readBefore(tx, user_reference, now)
    await assign(tx, await book.getRights(tx), before, { roles, groups, ends_at, matters }, { by, now })
  },
})

/** Also what the roles permit, so that a role that changed meanwhile is not confirmed unseen. */
const getBasis = (rights: Rights, assigned: RoleAssignment | undefined, roles: readonly string[]) => ({
  assignment: versionOfAssignment(assigned),
  roles: getVersion(
    getDocuments(rights.source).filter(({ role_reference }) => roles.includes(role_reference)),
  ),
})

const getFormer = (assigned: RoleAssignment | undefined) => ({
  former_roles: assigned?.roles.map(({ role }) => role) ?? [],
  former_groups: assigned?.groups ?? null,
  former_ends_at: assigned?.ends_at ?? null,
  former_matters: assigned?.matters ?? null,
})

/** A person before their assignment changes. */
interface Before {
  user_reference: string
  client: Client
  defaults: Awaited<ReturnType<typeof findDefaults>>
  assigned: RoleAssignment | undefined
  now: number
}

async function readBefore(q: Queryable, user_reference: string, now: number): Promise<Before> {
  const client = await readOwnClient(q)
  if (!client) throw new Problem('not_found', { detail: 'the client is gone' })
  const assigned = await findAssignment(q, user_reference)
  return { user_reference, client, defaults: await findDefaults(q), assigned, now }
}

/** What an assignment gives once it counts. */
function rightsBy(
  { client, user_reference, defaults, now }: Before,
  rights: Rights,
  assigned: RoleAssignment | undefined,
): ClaimedRights {
  const inPortal = { ...client, claim_mapping: { ...client.claim_mapping, roles_from: 'portal' as const } }
  const given = rightsOfPerson(
    inPortal,
    { user_reference, values: {}, assigned },
    { defaults, exists: (role) => rights.roles.has(role) },
  )
  return { ...given, ...temporaryRights(assigned, now) }
}

/** What an assignment would mean; the review shows it and the save is held against it. */
async function validate(
  context: PortalContext,
  q: Queryable,
  rights: Rights,
  before: Before,
  input: PersonRolesInput,
): Promise<{ problems: Fault[]; impact: AccessImpact; isWider: boolean }> {
  const was = getGrant(rightsBy(before, rights, before.assigned))
  const is = getGrant(rightsBy(before, rights, getAssignment(before, input, { by: '', now: 0 })))
  const changer = getChanger(context)
  const isWider =
    givesMore(rights, was, is) || isLonger(before.assigned, input) || reachesMore(before.assigned, input)
  const impact = previewGrantImpact(rights, changer, isWider ? is : { roles: [] })
  const isOwn = context.caller.user_reference === before.user_reference
  const locks_out =
    isOwn &&
    (before.client.claim_mapping.roles_from === 'portal' || input.ends_at !== null) &&
    previewImpact(rights, { ...rights, touched: new Set() }, changer, {
      undo: [ASSIGN],
      roles_after: is.roles,
    }).locks_out
  const problems = [
    ...unknownNames(rights, '', input),
    ...faultsOfEnd(before, input),
    ...(await faultsOfMatters(context, q, input)),
  ]
  return { problems, impact: { ...impact, locks_out }, isWider }
}

/** Whether temporary access gets a later end, or none. */
const isLonger = (assigned: RoleAssignment | undefined, { roles, ends_at }: PersonRolesInput): boolean =>
  roles.length > 0 &&
  assigned !== undefined &&
  (ends_at ?? Number.POSITIVE_INFINITY) > (assigned.ends_at ?? Number.POSITIVE_INFINITY)

/** Whether access that was limited to legal matters reaches the recordings of others. */
const reachesMore = (assigned: RoleAssignment | undefined, { roles, matters }: PersonRolesInput): boolean =>
  roles.length > 0 &&
  assigned !== undefined &&
  assigned.matters !== null &&
  (matters === null || matters.some((each) => !assigned.matters?.includes(each)))

/** Matters that are not open, or that the caller may not list, are unknown. */
async function faultsOfMatters(
  { caller }: PortalContext,
  q: Queryable,
  { roles, ends_at, matters }: PersonRolesInput,
): Promise<Fault[]> {
  if (roles.length === 0 || matters === null) return []
  const open = mayListMatters(caller.access) ? await findOpenMatters(q, matters) : new Set<string>()
  return [
    ...(ends_at === null ? [fault('ends_at', 'matters_need_end')] : []),
    ...matters.flatMap((value, i) =>
      open.has(value) ? [] : [fault(`matters.${i}`, 'unknown_reference', { value })],
    ),
  ]
}

const mayListMatters = (access: PortalContext['caller']['access']): boolean =>
  access.allowsGroupless(api.listLegalMatters.action)

function faultsOfEnd({ now }: Before, { roles, ends_at }: PersonRolesInput): Fault[] {
  if (roles.length === 0 || ends_at === null) return []
  if (ends_at <= now) return [fault('ends_at', 'expiry_in_past')]
  return ends_at > now + TEMPORARY_ACCESS_DAYS * DAY
    ? [fault('ends_at', 'expiry_too_far', { limit: TEMPORARY_ACCESS_DAYS })]
    : []
}

const getGrant = ({ roles, groups }: ClaimedRights) => ({
  roles: roles.map(({ role }) => role),
  group_references: groups ?? undefined,
})

/** Roles that stay keep who assigned them, and when, unless their end changes. */
function getAssignment(
  { assigned }: Before,
  { roles, groups, ends_at, matters }: PersonRolesInput,
  { by, now }: { by: string; now: number },
): RoleAssignment | undefined {
  if (roles.length === 0) return undefined
  const isKept = assigned?.ends_at === ends_at
  const kept = new Map(isKept ? assigned.roles.map((each) => [each.role, each]) : [])
  return {
    roles: roles.map((role) => kept.get(role) ?? { role, assigned_at: now, assigned_by: by }),
    groups,
    ends_at,
    matters,
  }
}

/**
 * Assigns, also in open sessions if the assignment counts. Where claims give roles, the person signs in again after
 * temporary access. Problem: last_administrator.
 */
async function assign(
  tx: Tx,
  rights: Rights,
  before: Before,
  input: PersonRolesInput,
  by: { by: string; now: number },
): Promise<void> {
  const { client, user_reference } = before
  const assigned = getAssignment(before, input, by)
  await writeAssignment(
    tx,
    user_reference,
    assigned ?? { roles: [], groups: null, ends_at: null, matters: null },
  )
  await settleAlert(tx, temporaryAccessAlert(user_reference, by.now))
  const ends_at = assigned?.ends_at ?? null
  // The account keeps its first administrator.
  if (ends_at !== null && isFirstAdministrator(client, user_reference))
    throw new Problem('last_administrator')
  if (client.claim_mapping.roles_from === 'portal') await assertAdministered(tx, rights, client)
  else if (ends_at === null) {
    if ((before.assigned?.ends_at ?? null) !== null) await endSessionsOf(tx, user_reference, by.now)
    return
  }
  await writeRightsOfSessions(tx, user_reference, { ...rightsBy(before, rights, assigned), ends_at }, by.now)
}
