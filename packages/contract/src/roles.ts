import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict, Role, Sample, stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { ClientReference, name, queryBoolean, RoleReference } from './scalars.ts'

export const StoredRole = z.strictObject({ ...Role.def.shape, ...stored })
export type StoredRole = z.output<typeof StoredRole>

/** Body of a save; the name stands in the path, and what the system made is its own. */
export const RoleInput = z.omit(Role, { role_reference: true, is_system: true })
export type RoleInput = z.output<typeof RoleInput>

/** What becomes of one action under a role. */
export const ActionPreview = z.strictObject({
  action: z.string(),
  /**
   * `denied`: a deny strikes out all that was allowed. `confined`: it concerns no group, and is allowed under conditions
   * on groups only, which is not at all.
   */
  outcome: z.enum(['allowed', 'confined', 'denied', 'unmatched']),
  /** Places of the permissions that allow and deny it. */
  allowed_by: z.array(z.int()),
  denied_by: z.array(z.int()),
  /** Where it is allowed in the end. */
  groups: Sample,
  /** Groups that a deny strikes out. */
  struck: Sample,
  /** Whether it is allowed where no group is concerned. */
  groupless: z.boolean(),
})
export type ActionPreview = z.output<typeof ActionPreview>

export const RoleReview = z.strictObject({
  ...verdict,
  actions: z.array(ActionPreview),
  /** For each permission: what each of its patterns matches, and where it holds. */
  permissions: z.array(
    z.strictObject({
      patterns: z.array(z.strictObject({ pattern: z.string(), actions: z.array(z.string()) })),
      groups: Sample,
    }),
  ),
  /** All groups that the role reaches with any action. */
  groups: Sample,
  /** Payloads that a holder would see in lists now; null when the role lists none. */
  payloads: z.nullable(
    z.strictObject({
      /** Null: not told, because the reader may list no payloads. */
      total: z.nullable(z.int()),
      is_capped: z.boolean(),
      /** Only payloads that the reader may list as well are counted, in groups that the reader sees. */
      is_partial: z.optional(z.boolean()),
    }),
  ),
  impact: AccessImpact,
})
export type RoleReview = z.output<typeof RoleReview>

/**
 * Bytes of a role whose permissions have as many patterns as each may, every one as long as it may be: a role with too many in all is told
 * so, and not that it is too large.
 */
const ROLE_BODY_LIMIT = 3 * 1024 ** 2

const byReference = z.object({ client: ClientReference, role_reference: RoleReference })

export const roleEndpoints = endpoints({
  listRoles: {
    method: 'GET',
    portal: 'admin',
    path: 'roles',
    authentication: 'portal',
    action: 'roles:list',
    concerns: 'account',
    support: true,
    summary: 'The roles of the client, system roles included',
    params: inClient,
    query: {
      ...pageQuery,
      search: z.optional(name(1, 255)),
      is_system: z.optional(queryBoolean()),
      is_alertable: z.optional(queryBoolean()),
    },
    response: pageOf(StoredRole),
    problems: ['invalid_cursor'],
  },
  readRole: {
    method: 'GET',
    portal: 'admin',
    path: 'roles/{role_reference}',
    authentication: 'portal',
    action: 'roles:read',
    concerns: 'account',
    support: true,
    summary: 'A role',
    params: byReference,
    response: StoredRole,
    problems: ['not_found'],
  },
  saveRole: {
    method: 'PUT',
    portal: 'admin',
    path: 'roles/{role_reference}',
    authentication: 'portal',
    action: 'roles:update',
    concerns: 'account',
    powers: [ESCALATE],
    summary: 'Creates or replaces a role',
    params: byReference,
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: RoleInput,
    bodyLimit: ROLE_BODY_LIMIT,
    response: StoredRole,
    problems: ['system_role', 'already_exists', 'changed_meanwhile', 'locks_out', 'escalation'],
  },
  reviewRole: {
    method: 'POST',
    portal: 'admin',
    path: 'roles/{role_reference}/review',
    authentication: 'portal',
    action: 'roles:review',
    concerns: 'account',
    summary: 'What a role would match and reach, and what saving it would mean, without saving it',
    params: byReference,
    body: RoleInput,
    bodyLimit: ROLE_BODY_LIMIT,
    response: RoleReview,
  },
  deleteRole: {
    method: 'DELETE',
    portal: 'admin',
    path: 'roles/{role_reference}',
    authentication: 'portal',
    action: 'roles:delete',
    concerns: 'account',
    powers: [ESCALATE],
    summary: 'Deletes a role that neither defaults nor client apps name',
    params: byReference,
    query: { confirm_lockout: z.optional(queryBoolean()) },
    response: z.strictObject({}),
    problems: [
      'not_found',
      'system_role',
      'in_use',
      'already_exists',
      'changed_meanwhile',
      'locks_out',
      'escalation',
    ],
  },
})

/** The provider's side. */
export const internalRoleEndpoints = endpoints({
  listRolesOfClient: {
    method: 'GET',
    portal: 'internal',
    path: 'clients/{client}/roles',
    authentication: 'portal',
    action: 'internal.roles:list',
    concerns: 'account',
    summary: 'Roles of a client under which support may be asked for',
    params: inClient,
    query: pageQuery,
    response: pageOf(StoredRole),
    problems: ['not_found', 'invalid_cursor'],
  },
})
