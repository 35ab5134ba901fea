import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, Sample, verdict } from './access.ts'
import { GivenRole, ROLES_FROM } from './claim-mapping.ts'
import {
  listOrder,
  ADMIN_ACCOUNT,
  CLIENT_GROUPS,
  dateRange,
  del,
  endpoints,
  get,
  getPage,
  pageQuery,
  post,
  put,
} from './endpoint.ts'
import { PayloadType } from './payload-types.ts'
import { ProposalAnswer } from './proposed.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import {
  authors,
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

/** Times for the order of people. */
export const PEOPLE_DATE_FILTERS = ['last_seen', 'first_seen'] as const

/** Longest temporary access, in days from now. */
export const TEMPORARY_ACCESS_DAYS = 366
/** Days before the end of temporary access on which an alert is raised. */
export const TEMPORARY_ACCESS_WARNING_DAYS = 3

/** Most legal matters to which the access of a person is limited. */
const MATTERS_LIMIT = 20

/** Roles and groups that a person may be assigned. */
export const PersonRolesInput = z.strictObject({
  /** None: the assignment is removed. */
  roles: uniqueList(RoleReference, 0, 20),
  /** Groups within reach; null: all groups. */
  groups: z.nullable(uniqueList(GroupReference, 0, 100)),
  /** End of temporary access. It counts in place of claims, and afterwards the person has no role. Null: no end. */
  ends_at: z._default(z.nullable(EpochSeconds), null),
  /** Open legal matters to whose recordings the access is limited, until its end; null: all recordings. */
  matters: z._default(z.nullable(uniqueList(Ulid, 1, MATTERS_LIMIT)), null),
})
export type PersonRolesInput = z.output<typeof PersonRolesInput>

/** Assignment of a person in the portal. It applies if it has an end, or if the account assigns roles there. */
export const RoleAssignment = z.strictObject({
  roles: z.array(
    z.strictObject({ role: z.string(), assigned_at: EpochSeconds, ...authors({ assigned_by: z.string() }) }),
  ),
  groups: z.nullable(z.array(z.string())),
  /** Null: no end. */
  ends_at: z.nullable(EpochSeconds),
  /** Ids of the legal matters to whose recordings the access is limited; null: all recordings. */
  matters: z.nullable(z.array(z.string())),
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

/** What a role says about an action: it grants or denies it, or does not grant it for this reason. */
export const ACCESS_OUTCOMES = [
  'grants',
  'denies',
  'other_network',
  'other_type',
  'other_group',
  'not_granted',
] as const
export type AccessOutcome = (typeof ACCESS_OUTCOMES)[number]

/** What decides whether a person may do something. */
export const ACCESS_DECISIONS = [
  'granted',
  'denied',
  'not_granted',
  'outside_groups',
  'outside_networks',
  'not_in_support',
  'outside_matters',
] as const
export type AccessDecision = (typeof ACCESS_DECISIONS)[number]

const RoleReason = z.strictObject({
  role: z.string(),
  outcome: z.enum(ACCESS_OUTCOMES),
  /** Numbers of the permissions of the role that grant or deny it, from 1. */
  rules: z.array(Count),
  /** Networks in which the role grants; none: any. */
  networks: z.array(z.string()),
})
export type RoleReason = z.output<typeof RoleReason>

const explained = {
  is_allowed: z.boolean(),
  decision: z.enum(ACCESS_DECISIONS),
  roles: z.array(RoleReason),
}

/** Since when rights are recorded. A question about an earlier moment has no answer. */
const known_since = EpochSeconds
/** The moment of a question, in UTC; without: now. */
const at = z.optional(DateParameter)

/** A person, client app or staff member in support mode, and whether they may do something. */
export const ExplainedPerson = z.strictObject({
  kind: z.enum(['person', 'app', 'support']),
  user_reference: z.string(),
  /** Name at present; null: unknown. */
  display_name: z.nullable(z.string()),
  ...explained,
})
export type ExplainedPerson = z.output<typeof ExplainedPerson>

/** An action, and whether a person may do it. */
const ExplainedAction = z.strictObject({ action: z.string(), groups: Sample, ...explained })
export type ExplainedAction = z.output<typeof ExplainedAction>

/** Maximum people of an answer. */
export const EXPLAINED_LIMIT = 500

/** Format of a report. The signature covers the canonical JSON (RFC 8785) of `report`. */
export const ACCESS_REPORT_FORMAT = 'custodia.access/1'

const period = { from: EpochSeconds, to: EpochSeconds }

/** Who could open a recording in a period and who did, signed: a file to keep. */
export const AccessReport = z.strictObject({
  report: z.strictObject({
    format: z.literal(ACCESS_REPORT_FORMAT),
    client: ClientReference,
    payload_reference: z.string(),
    payload_type: PayloadType,
    issued_at: EpochSeconds,
    /** The action of `could`. */
    may: z.string(),
    ...period,
    known_since,
    /** When the data could be opened at all: from its check until its deletion. */
    available: z.array(z.strictObject(period)),
    could: z.array(
      z.strictObject({
        kind: ExplainedPerson.def.shape.kind,
        user_reference: z.string(),
        display_name: z.nullable(z.string()),
        periods: z.array(z.strictObject({ ...period, group: z.string(), roles: z.array(RoleReason) })),
      }),
    ),
    is_cut: z.boolean(),
    did: z.array(
      z.strictObject({
        user_reference: z.string(),
        display_name: z.nullable(z.string()),
        /** Played, read, downloaded, exported, delivered or received, oldest first. */
        acts: z.array(
          z.strictObject({
            at: EpochSeconds,
            action: z.string(),
            /** Of a download: its export. */
            detail: z.nullable(z.string()),
          }),
        ),
        /** Seconds heard until the report; null: none. */
        heard: z.nullable(Count),
      }),
    ),
    /** Seconds of the recording; null: unknown. */
    length: z.nullable(Count),
  }),
  signature: SignatureOfFile,
})
export type AccessReport = z.output<typeof AccessReport>

export const peopleEndpoints = endpoints({
  listPeople: {
    ...get(ADMIN_ACCOUNT, 'people'),
    action: 'people:list',
    support: true,
    summary: 'List the portal users with their roles',
    description:
      'Contains people who signed in or have assigned roles, and all people of the embedded provider. External identity providers offer no list.',
    query: {
      ...pageQuery,
      /** Part of the reference, the name or the e-mail address, in any case. */
      search: z.optional(text(1, 255)),
      role: z.optional(RoleReference),
      has_sessions: z.optional(queryBoolean()),
      /** Whether an assignment with an end gives the access. */
      is_temporary: z.optional(queryBoolean()),
      date_filter: z._default(z.enum(PEOPLE_DATE_FILTERS), 'last_seen'),
      ...dateRange,
      order: listOrder,
    },
    response: getPage(PortalPerson),
  },
  readPerson: {
    ...get(ADMIN_ACCOUNT, 'people/{user_reference}'),
    action: 'people:read',
    support: true,
    summary: 'Show a portal user with their open sessions',
    response: PortalPersonDetail,
    problems: ['not_found'],
  },
  savePersonRoles: {
    ...put(ADMIN_ACCOUNT, 'people/{user_reference}/roles'),
    action: 'people.roles:update',
    powers: [ESCALATE],
    summary: 'Assign roles and groups to a person',
    description:
      'Applies at once, also in open sessions, if it has an end or the account assigns roles in the portal. Under dual control additional rights wait for approval.',
    params: { user_reference: PersonReference },
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: PersonRolesInput,
    response: z.strictObject({}),
    deferred: ProposalAnswer,
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
    ...post(ADMIN_ACCOUNT, 'people/{user_reference}/roles/review'),
    action: 'people.roles:review',
    summary: 'Preview the impact of assigning roles to a person',
    params: { user_reference: PersonReference },
    body: PersonRolesInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
  readPersonAccess: {
    ...get(ADMIN_ACCOUNT, 'people/{user_reference}/access'),
    action: 'people.access:read',
    support: true,
    summary: 'Explain what a person may do, and by which roles',
    description:
      'Computed from the rights that authorise calls, with the roles of the last sign-in or the assignment; of a past moment from their recorded versions. Actions that no role names are left out.',
    query: { at },
    response: z.strictObject({
      known_since,
      /** Networks from which the account can be used; none: any. */
      networks: z.array(z.string()),
      data: z.array(ExplainedAction),
    }),
    problems: ['not_found'],
  },
  listPayloadAccess: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/access'),
    action: 'payloads.access:list',
    support: true,
    matters: true,
    summary: 'Explain who may do something with a recording, such as hear it',
    description: `Lists people, client apps and approved support staff who may do it, at most ${EXPLAINED_LIMIT}; with user_reference only that person, also if they may not. Computed from the rights that authorise calls; of a past moment from their recorded versions.`,
    query: {
      /** Of recordings. */
      may: z._default(text(1, 64), 'payloads:play'),
      user_reference: z.optional(text(1, 255)),
      /** From this address; without: from any that the roles allow. */
      ip: z.optional(text(1, 45)),
      at,
    },
    response: z.strictObject({
      known_since,
      /** Whether there was data to open at the moment. */
      is_available: z.boolean(),
      group: z.string(),
      networks: z.array(z.string()),
      data: z.array(ExplainedPerson),
      is_cut: z.boolean(),
    }),
    problems: ['not_found'],
  },
  readAccessReport: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/access/report'),
    action: 'payloads.access:report',
    matters: true,
    summary: 'Sign a report of all who could open a recording in a period, and all who did',
    description: `Contains at most ${EXPLAINED_LIMIT} people, client apps and support staff who could. Save the response as a file and verify it with \`custodia certificate\`, without this server.`,
    query: { may: z._default(text(1, 64), 'payloads:play'), from: DateParameter, to: DateParameter },
    response: AccessReport,
    problems: ['not_found'],
  },
  endPersonSession: {
    ...del(ADMIN_ACCOUNT, 'people/{user_reference}/sessions/{session_id}'),
    action: 'people.sessions:end',
    summary: 'End a session of a person; the person may sign in again',
    response: z.strictObject({}),
    problems: ['not_found'],
  },
})
