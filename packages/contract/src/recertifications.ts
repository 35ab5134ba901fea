import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import { ADMIN_ACCOUNT, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  Count,
  EpochSeconds,
  prose,
  RoleReference,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Maximum people of one recertification. */
export const RECERTIFIED_PEOPLE = 2000
/** Latest due date, in days from the start. */
export const RECERTIFICATION_DAYS = 90
/** Days before the due date on which people without a decision raise an alert. */
export const RECERTIFICATION_WARNING_DAYS = 3
/** Maximum characters of a name. */
export const RECERTIFICATION_NAME_LIMIT = 100

/** The decision on a person’s roles. `revoked` removes the roles assigned in the portal at once. */
export const RECERTIFIED = ['confirmed', 'revoked'] as const
const Decision = z.enum(RECERTIFIED)

/** A recertification: people and their roles at one moment, to be confirmed or revoked one by one. */
export const Recertification = z.strictObject({
  client: ClientReference,
  recertification_reference: Ulid,
  name: z.string(),
  /** Only people with this role; null: all people with roles. */
  role: z.nullable(z.string()),
  started_at: EpochSeconds,
  ...authors({ started_by: z.string() }),
  due_at: EpochSeconds,
  ended_at: z.nullable(EpochSeconds),
  ...authors({ ended_by: z.nullable(z.string()) }),
  people: Count,
  confirmed: Count,
  revoked: Count,
  updated_by: UpdatedBy,
})
export type Recertification = z.output<typeof Recertification>

/** A person as frozen at the start, with the decision. */
export const RecertifiedPerson = z.strictObject({
  user_reference: z.string(),
  /** Name at present; null: unknown. */
  display_name: z.nullable(z.string()),
  roles: z.array(z.string()),
  /** Null: all groups. */
  groups: z.nullable(z.array(z.string())),
  /** End of temporary access; null: none. */
  ends_at: z.nullable(EpochSeconds),
  /** Ids of the legal matters to whose recordings the access is limited; null: all recordings. */
  matters: z.nullable(z.array(z.string())),
  /** Last visit before the start; null: never. */
  last_seen: z.nullable(EpochSeconds),
  /** Null: not decided yet. */
  decision: z.nullable(Decision),
  reason: z.nullable(z.string()),
  decided_at: z.nullable(EpochSeconds),
  ...authors({ decided_by: z.nullable(z.string()) }),
})
export type RecertifiedPerson = z.output<typeof RecertifiedPerson>

/** Format of a report. The signature covers the canonical JSON (RFC 8785) of `report`. */
export const RECERTIFICATION_FORMAT = 'custodia.recertification/1'

/** The result of an ended recertification, signed: a file to keep. */
export const RecertificationReport = z.strictObject({
  report: z.strictObject({
    format: z.literal(RECERTIFICATION_FORMAT),
    client: ClientReference,
    issued_at: EpochSeconds,
    recertification: Recertification,
    people: z.array(RecertifiedPerson),
  }),
  signature: SignatureOfFile,
})
export type RecertificationReport = z.output<typeof RecertificationReport>

export const recertificationEndpoints = endpoints({
  listRecertifications: {
    ...get(ADMIN_ACCOUNT, 'recertifications'),
    action: 'people.recertifications:list',
    summary: 'List the recertifications of access, newest first',
    query: pageQuery,
    response: getPage(Recertification),
  },
  startRecertification: {
    ...post(ADMIN_ACCOUNT, 'recertifications'),
    action: 'people.recertifications:create',
    summary: 'Freeze people and their roles for a recertification',
    description: `All people with roles, or with one role: up to ${RECERTIFIED_PEOPLE}.`,
    body: z.strictObject({
      name: prose(3, RECERTIFICATION_NAME_LIMIT),
      role: z.optional(RoleReference),
      due_at: EpochSeconds,
    }),
    response: Recertification,
    problems: ['wrong_state'],
  },
  readRecertification: {
    ...get(ADMIN_ACCOUNT, 'recertifications/{recertification_reference}'),
    action: 'people.recertifications:read',
    summary: 'Show a recertification',
    response: Recertification,
    problems: ['not_found'],
  },
  listRecertifiedPeople: {
    ...get(ADMIN_ACCOUNT, 'recertifications/{recertification_reference}/people'),
    action: 'people.recertifications:read',
    summary: 'List the people of a recertification with the decisions',
    query: pageQuery,
    response: getPage(RecertifiedPerson),
    problems: ['not_found'],
  },
  decideRecertification: {
    ...post(ADMIN_ACCOUNT, 'recertifications/{recertification_reference}/decisions'),
    action: 'people.recertifications:update',
    summary: 'Confirm or revoke the roles of people',
    description:
      'A decision is final. No person decides about themselves. Roles that come from claims must be removed at the identity provider.',
    body: z.strictObject({
      user_references: uniqueList(UserReference, 1, BATCH_LIMIT),
      decision: Decision,
      reason: prose(3, 500),
    }),
    response: Recertification,
    problems: ['not_found', 'wrong_state', 'same_person', 'person_required', 'last_administrator'],
  },
  endRecertification: {
    ...post(ADMIN_ACCOUNT, 'recertifications/{recertification_reference}/end'),
    action: 'people.recertifications:update',
    summary: 'End a recertification; people without a decision stay so in the report',
    response: Recertification,
    problems: ['not_found', 'wrong_state', 'person_required'],
  },
  readRecertificationReport: {
    ...get(ADMIN_ACCOUNT, 'recertifications/{recertification_reference}/report'),
    action: 'people.recertifications:read',
    summary: 'Sign the result of an ended recertification',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    response: RecertificationReport,
    problems: ['not_found', 'wrong_state'],
  },
})
