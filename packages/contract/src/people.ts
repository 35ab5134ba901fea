import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict } from './access.ts'
import { GivenRole, ROLES_FROM } from './claim-mapping.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { LIST_ORDERS } from './payload-filters.ts'
import { Proposed } from './proposed.ts'
import {
  ClientReference,
  Count,
  DateParameter,
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

/** Times by which people are listed. */
export const PEOPLE_DATE_FILTERS = ['last_seen', 'first_seen'] as const

/** Roles and groups that a person may be assigned. */
export const PersonRolesInput = z.strictObject({
  /** None: the assignment is removed. */
  roles: uniqueList(RoleReference, 0, 20),
  /** Groups to which the person is confined; null: all groups. */
  groups: z.nullable(uniqueList(GroupReference, 0, 100)),
})
export type PersonRolesInput = z.output<typeof PersonRolesInput>

/** What a person is assigned in the portal. It counts where the account assigns roles there. */
export const RoleAssignment = z.strictObject({
  roles: z.array(z.strictObject({ role: z.string(), assigned_at: EpochSeconds, assigned_by: z.string() })),
  groups: z.nullable(z.array(z.string())),
})
export type RoleAssignment = z.output<typeof RoleAssignment>

/** A person who uses the portal: one who signed in, one who was assigned roles, or one of the embedded provider. */
export const PortalPerson = z.strictObject({
  client: ClientReference,
  user_reference: UserReference,
  /** What the identity provider calls them. */
  display_name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  /** Their roles as of the last sign-in or renewal, and why they have each. */
  roles: z.array(z.strictObject({ ...GivenRole.def.shape, exists: z.boolean() })),
  user_group: z.nullable(z.string()),
  /** Groups to which they are confined; null: not confined. */
  groups: z.nullable(z.array(z.string())),
  /** Null: nothing is assigned to them in the portal. */
  assignment: z.nullable(RoleAssignment),
  /** Null: they have not signed in yet. */
  first_seen: z.nullable(EpochSeconds),
  /** When they were here last, as far as sessions are kept. */
  last_seen: z.nullable(EpochSeconds),
  open_sessions: Count,
})
export type PortalPerson = z.output<typeof PortalPerson>

export const PortalPersonDetail = z.strictObject({
  ...PortalPerson.def.shape,
  /** Of the assignment. */
  version: z.string(),
  roles_from: z.enum(ROLES_FROM),
  /** Where the person signs in; null: at the embedded provider, or not known. */
  issuer: z.nullable(z.string()),
  /** Open ones, newest first. */
  sessions: z.array(
    z.strictObject({
      session_id: z.string(),
      created_at: EpochSeconds,
      last_seen: EpochSeconds,
      expires_at: EpochSeconds,
      /** From where the person signed in; null: not known. */
      ip: z.nullable(z.string()),
      /** Whether the caller asks through it. */
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
    portal: 'admin',
    path: 'people',
    authentication: 'portal',
    action: 'people:list',
    concerns: 'account',
    support: true,
    summary: 'The people who use the portal, with their roles',
    description:
      'They live in the identity provider, which cannot be asked for a list: people who signed in or were assigned roles are known, and all people of the embedded provider.',
    params: inClient,
    query: {
      ...pageQuery,
      /** Part of the reference, the name or the e-mail address, in any case. */
      search: z.optional(text(1, 255)),
      role: z.optional(RoleReference),
      has_sessions: z.optional(queryBoolean()),
      date_filter: z._default(z.enum(PEOPLE_DATE_FILTERS), 'last_seen'),
      from: z.optional(DateParameter),
      to: z.optional(DateParameter),
      order: z._default(z.enum(LIST_ORDERS), 'newest'),
    },
    response: pageOf(PortalPerson),
    problems: ['invalid_cursor'],
  },
  readPerson: {
    method: 'GET',
    portal: 'admin',
    path: 'people/{user_reference}',
    authentication: 'portal',
    action: 'people:read',
    concerns: 'account',
    support: true,
    summary: 'A person who uses the portal, with their open sessions',
    params: byReference,
    response: PortalPersonDetail,
    problems: ['not_found'],
  },
  savePersonRoles: {
    method: 'PUT',
    portal: 'admin',
    path: 'people/{user_reference}/roles',
    authentication: 'portal',
    action: 'people.roles:update',
    concerns: 'account',
    powers: [ESCALATE],
    summary: 'Assigns roles and groups to a person, also before they first sign in',
    description:
      'It counts where the account assigns roles in the portal: at once, also in open sessions. Where two people decide, what gives more than before waits for the second.',
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
    portal: 'admin',
    path: 'people/{user_reference}/roles/review',
    authentication: 'portal',
    action: 'people.roles:review',
    concerns: 'account',
    summary: 'What assigning roles to a person would mean, without assigning them',
    params: assigned,
    body: PersonRolesInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
  endPersonSession: {
    method: 'DELETE',
    portal: 'admin',
    path: 'people/{user_reference}/sessions/{session_id}',
    authentication: 'portal',
    action: 'people.sessions:end',
    concerns: 'account',
    summary: 'Ends a session of a person; they may sign in again',
    params: z.object({ ...byReference.def.shape, session_id: Ulid }),
    response: z.strictObject({}),
    problems: ['not_found'],
  },
})
