import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict } from './access.ts'
import { GivenRole, ROLES_FROM } from './claim-mapping.ts'
import { ADMIN_ACCOUNT, dateRange, endpoints, inClient, pageOf, pageQuery } from './endpoint.ts'
import { LIST_ORDERS } from './payloads.ts'
import { Proposed } from './proposed.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  GroupReference,
  PersonReference,
  queryBoolean,
  RoleReference,
  text,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Times for the order of people. */
export const PEOPLE_DATE_FILTERS = ['last_seen', 'first_seen'] as const

/** Roles and groups that a person may be assigned. */
export const PersonRolesInput = z.strictObject({
  /** None: the assignment is removed. */
  roles: uniqueList(RoleReference, 0, 20),
  /** Groups within reach; null: all groups. */
  groups: z.nullable(uniqueList(GroupReference, 0, 100)),
})
export type PersonRolesInput = z.output<typeof PersonRolesInput>

/** Assignment of a person in the portal. It applies if the account assigns roles there. */
export const RoleAssignment = z.strictObject({
  roles: z.array(
    z.strictObject({ role: z.string(), assigned_at: EpochSeconds, ...authors({ assigned_by: z.string() }) }),
  ),
  groups: z.nullable(z.array(z.string())),
})
export type RoleAssignment = z.output<typeof RoleAssignment>

/** A person who uses the portal: one who signed in, one who was assigned roles, or one of the embedded provider. */
export const PortalPerson = z.strictObject({
  client: ClientReference,
  user_reference: UserReference,
  /** Name at the identity provider. */
  display_name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  /** Roles at the last sign-in or renewal, with their sources. */
  roles: z.array(z.strictObject({ ...GivenRole.def.shape, exists: z.boolean() })),
  user_group: z.nullable(z.string()),
  /** Groups within reach; null: all groups. */
  groups: z.nullable(z.array(z.string())),
  /** Null: nothing is assigned to them in the portal. */
  assignment: z.nullable(RoleAssignment),
  /** Null: they have not signed in yet. */
  first_seen: z.nullable(EpochSeconds),
  /** Last visit, as far as sessions are kept. */
  last_seen: z.nullable(EpochSeconds),
  open_sessions: Count,
})
export type PortalPerson = z.output<typeof PortalPerson>

export const PortalPersonDetail = z.strictObject({
  ...PortalPerson.def.shape,
  /** Of the assignment. */
  version: z.string(),
  roles_from: z.enum(ROLES_FROM),
  /** Identity provider of the person; null: the embedded provider, or unknown. */
  issuer: z.nullable(z.string()),
  /** Open ones, newest first. */
  sessions: z.array(
    z.strictObject({
      session_id: z.string(),
      created_at: EpochSeconds,
      last_seen: EpochSeconds,
      expires_at: EpochSeconds,
      /** Address of the sign-in; null: unknown. */
      ip: z.nullable(z.string()),
      /** Whether it is the session of this call. */
      is_own: z.boolean(),
    }),
  ),
})
export type PortalPersonDetail = z.output<typeof PortalPersonDetail>

const byReference = z.object({ client: ClientReference, user_reference: UserReference })
const assigned = z.object({ client: ClientReference, user_reference: PersonReference })

export const peopleEndpoints = endpoints({
  listPeople: {
    method: 'GET',
    ...ADMIN_ACCOUNT,
    path: 'people',
    action: 'people:list',
    support: true,
    summary: 'List the portal users with their roles',
    description:
      'Contains people who signed in or have assigned roles, and all people of the embedded provider. External identity providers offer no list.',
    params: inClient,
    query: {
      ...pageQuery,
      /** Part of the reference, the name or the e-mail address, in any case. */
      search: z.optional(text(1, 255)),
      role: z.optional(RoleReference),
      has_sessions: z.optional(queryBoolean()),
      date_filter: z._default(z.enum(PEOPLE_DATE_FILTERS), 'last_seen'),
      ...dateRange,
      order: z._default(z.enum(LIST_ORDERS), 'newest'),
    },
    response: pageOf(PortalPerson),
    problems: ['invalid_cursor'],
  },
  readPerson: {
    method: 'GET',
    ...ADMIN_ACCOUNT,
    path: 'people/{user_reference}',
    action: 'people:read',
    support: true,
    summary: 'Show a portal user with their open sessions',
    params: byReference,
    response: PortalPersonDetail,
    problems: ['not_found'],
  },
  savePersonRoles: {
    method: 'PUT',
    ...ADMIN_ACCOUNT,
    path: 'people/{user_reference}/roles',
    action: 'people.roles:update',
    powers: [ESCALATE],
    summary: 'Assign roles and groups to a person',
    description:
      'Applies at once, also in open sessions, if the account assigns roles in the portal. Under dual control additional rights wait for approval.',
    params: assigned,
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: PersonRolesInput,
    response: z.strictObject({}),
    deferred: Proposed,
    problems: [
      'already_exists',
      'changed_meanwhile',
      'locks_out',
      'last_administrator',
      'escalation',
      'already_proposed',
      'person_required',
    ],
  },
  reviewPersonRoles: {
    method: 'POST',
    ...ADMIN_ACCOUNT,
    path: 'people/{user_reference}/roles/review',
    action: 'people.roles:review',
    summary: 'Preview the impact of assigning roles to a person',
    params: assigned,
    body: PersonRolesInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
  endPersonSession: {
    method: 'DELETE',
    ...ADMIN_ACCOUNT,
    path: 'people/{user_reference}/sessions/{session_id}',
    action: 'people.sessions:end',
    summary: 'End a session of a person; the person may sign in again',
    params: z.object({ ...byReference.def.shape, session_id: Ulid }),
    response: z.strictObject({}),
    problems: ['not_found'],
  },
})
