import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, Role, Sample, stored, verdict } from './access.ts'
import { ADMIN_ACCOUNT, del, endpoints, get, INTERNAL, getPage, pageQuery, post, put } from './endpoint.ts'
import { name, queryBoolean } from './scalars.ts'

export const StoredRole = z.strictObject({ ...Role.def.shape, ...stored })
export type StoredRole = z.output<typeof StoredRole>

/** Body of a save; the path contains the name. Users cannot set the fields of system roles. */
export const RoleInput = z.omit(Role, { role_reference: true, is_system: true })
export type RoleInput = z.output<typeof RoleInput>

/** Result of one action under a role. */
export const ActionPreview = z.strictObject({
  action: z.string(),
  /**
   * `denied`: a deny overrides every allow. `confined`: the action concerns no group, so permissions with conditions on
   * groups do not allow it.
   */
  outcome: z.enum(['allowed', 'confined', 'denied', 'unmatched']),
  /** Places of the permissions that allow and deny it. */
  allowed_by: z.array(z.int()),
  denied_by: z.array(z.int()),
  /** Effective groups of the action. */
  groups: Sample,
  /** Groups that a deny removes. */
  struck: Sample,
  /** Whether it is allowed without a group. */
  groupless: z.boolean(),
})
export type ActionPreview = z.output<typeof ActionPreview>

export const RoleReview = z.strictObject({
  ...verdict,
  actions: z.array(ActionPreview),
  /** For each permission: the matches of its patterns, and its groups. */
  permissions: z.array(
    z.strictObject({
      patterns: z.array(z.strictObject({ pattern: z.string(), actions: z.array(z.string()) })),
      groups: Sample,
    }),
  ),
  /** All groups that the role reaches with any action. */
  groups: Sample,
  /** Number of payloads that a holder would list now; null: the role lists none. */
  payloads: z.nullable(
    z.strictObject({
      /** Null: the reader may list no payloads. */
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
 * Bytes of the largest role by its separate limits. A role with too many patterns in total gets that problem and not
 * "too large".
 */
const ROLE_BODY_LIMIT = 3 * 1024 ** 2

export const roleEndpoints = endpoints({
  listRoles: {
    ...get(ADMIN_ACCOUNT, 'roles'),
    action: 'roles:list',
    support: true,
    summary: 'List the roles of the client, system roles included',
    query: {
      ...pageQuery,
      search: z.optional(name(1, 255)),
      is_system: z.optional(queryBoolean()),
      is_alertable: z.optional(queryBoolean()),
    },
    response: getPage(StoredRole),
  },
  readRole: {
    ...get(ADMIN_ACCOUNT, 'roles/{role_reference}'),
    action: 'roles:read',
    support: true,
    summary: 'Show a role',
    response: StoredRole,
    problems: ['not_found'],
  },
  saveRole: {
    ...put(ADMIN_ACCOUNT, 'roles/{role_reference}'),
    action: 'roles:update',
    powers: [ESCALATE],
    summary: 'Create or replace a role',
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: RoleInput,
    bodyLimit: ROLE_BODY_LIMIT,
    response: StoredRole,
    problems: ['system_role', 'already_exists', 'changed_meanwhile', 'locks_out', 'escalation'],
  },
  reviewRole: {
    ...post(ADMIN_ACCOUNT, 'roles/{role_reference}/review'),
    action: 'roles:review',
    summary: 'Preview the reach and the impact of a role',
    body: RoleInput,
    bodyLimit: ROLE_BODY_LIMIT,
    response: RoleReview,
  },
  deleteRole: {
    ...del(ADMIN_ACCOUNT, 'roles/{role_reference}'),
    action: 'roles:delete',
    powers: [ESCALATE],
    summary: 'Delete a role that neither defaults nor client apps name',
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

/** Calls of the provider. */
export const internalRoleEndpoints = endpoints({
  listRolesOfClient: {
    ...get(INTERNAL, 'clients/{client}/roles'),
    action: 'internal.roles:list',
    summary: 'List the roles of a client that support can request',
    query: pageQuery,
    response: getPage(StoredRole),
    problems: ['not_found'],
  },
})
