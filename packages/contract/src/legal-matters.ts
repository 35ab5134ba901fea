import * as z from 'zod/mini'
import { deviceUserFilters } from './device-users.ts'
import { deviceFilters } from './devices.ts'
import { CLIENT_ACCOUNT, del, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import { HOLD_TARGETS, HoldReason, target_name } from './legal-holds.ts'
import { payloadFilters, Words } from './payloads.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  FILTER_LIMIT,
  GroupReference,
  name,
  PayloadReference,
  queryBoolean,
  text,
  Ulid,
  uniqueList,
  UserReference,
  setBody,
} from './scalars.ts'

/** Maximum people of one matter, removed ones included, because one call releases them all. */
export const MATTER_PEOPLE_LIMIT = 1000
/** Maximum characters of the name of a matter. */
export const MATTER_NAME_LIMIT = 120

export const MatterName = text(3, MATTER_NAME_LIMIT)

export const LegalMatter = z.strictObject({
  client: ClientReference,
  matter_id: Ulid,
  name: z.string(),
  opened_at: EpochSeconds,
  ...authors({ opened_by: z.string() }),
  updated_at: EpochSeconds,
  ...authors({ updated_by: z.string() }),
  /** Null: open. */
  closed_at: z.nullable(EpochSeconds),
  ...authors({ closed_by: z.nullable(z.string()) }),
  /** The second person, if dual control applied. */
  ...authors({ closed_confirmed_by: z.nullable(z.string()) }),
  /** Number of people that it holds, or held until it was closed. */
  people: Count,
})
export type LegalMatter = z.output<typeof LegalMatter>

/** With the reasons for opening and closing; null: no reason, or the stored reason is damaged. */
export const LegalMatterDetail = z.strictObject({
  ...LegalMatter.def.shape,
  opened_reason: z.nullable(z.string()),
  closed_reason: z.nullable(z.string()),
})
export type LegalMatterDetail = z.output<typeof LegalMatterDetail>

const subject = { target_type: z.enum(HOLD_TARGETS), target: UserReference }

/** A custodian of a matter with the counts of their hold, as in `LegalHold`. */
export const MatterPerson = z.strictObject({
  ...subject,
  target_name,
  added_at: EpochSeconds,
  ...authors({ added_by: z.string() }),
  /** Removed, or released with the matter. */
  removed_at: z.nullable(EpochSeconds),
  ...authors({ removed_by: z.nullable(z.string()) }),
  /** Whether any hold applies now. */
  is_active: z.boolean(),
  protected: Count,
  already_destroyed: Count,
  is_capped: z.boolean(),
})
export type MatterPerson = z.output<typeof MatterPerson>

/** The result for each person to be held. */
export const MATTER_STATUSES = ['Ok', 'AlreadyHeld', 'NoMatchingRecord', 'ReservedName'] as const

const held = { data: z.array(z.strictObject({ ...subject, status: z.enum(MATTER_STATUSES) })) }

export const legalMatterEndpoints = endpoints({
  listLegalMatters: {
    ...get(CLIENT_ACCOUNT, 'account/legal_matters'),
    action: 'account.legal_matters:list',
    support: true,
    summary: 'List the legal matters, newest first, closed ones included',
    query: {
      ...pageQuery,
      is_open: z.optional(queryBoolean()),
      /** Part of the name. */
      search: z.optional(name(1, MATTER_NAME_LIMIT)),
    },
    response: getPage(LegalMatter),
  },
  openLegalMatter: {
    ...post(CLIENT_ACCOUNT, 'account/legal_matters'),
    action: 'account.legal_matters:create',
    summary: 'Open a legal matter without custodians',
    body: z.strictObject({ name: MatterName, reason: z.optional(HoldReason) }),
    response: LegalMatter,
    secrets: ['reason'],
  },
  readLegalMatter: {
    ...get(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}'),
    action: 'account.legal_matters:read',
    support: true,
    summary: 'Show a legal matter and its reasons',
    response: LegalMatterDetail,
    problems: ['not_found'],
  },
  listMatterPeople: {
    ...get(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/people'),
    action: 'account.legal_matters:read',
    support: true,
    summary: 'List the custodians of a legal matter and their held records',
    query: { ...pageQuery },
    response: getPage(MatterPerson),
    problems: ['not_found'],
  },
  holdMatterPeople: {
    ...post(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/people'),
    action: 'account.legal_matters:update',
    summary: 'Add up to 100 people, or a group, to a matter',
    description: `Each person has an outcome and may have other holds. A matter has up to ${MATTER_PEOPLE_LIMIT} people. Later members of the group are not held.`,
    body: z.strictObject({
      people: z.optional(uniqueList(z.strictObject(subject), 1, BATCH_LIMIT)),
      group: z.optional(GroupReference),
    }),
    response: z.strictObject(held),
    problems: ['not_found', 'wrong_state'],
  },
  holdMatterUsers: {
    ...post(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/device_users'),
    action: 'account.legal_matters:update',
    summary: 'Add a selection of device users, or all that match a filter, to a matter',
    description: 'Counts device users that the caller may list.',
    query: deviceUserFilters,
    body: setBody('device_user_references', {
      device_user_references: z.optional(uniqueList(DeviceUserReference, 1, BATCH_LIMIT)),
    }),
    response: z.strictObject(held),
    problems: ['not_found', 'wrong_state'],
  },
  holdMatterDevices: {
    ...post(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/devices'),
    action: 'account.legal_matters:update',
    summary: 'Add the holders of a selection of devices, or of all that match a filter, to a matter',
    description: 'Counts devices that the caller may list.',
    query: deviceFilters,
    body: setBody('device_references', {
      device_references: z.optional(uniqueList(DeviceReference, 1, BATCH_LIMIT)),
    }),
    response: z.strictObject({
      ...held,
      /** Devices without a holder. */
      without_user: Count,
    }),
    problems: ['not_found', 'wrong_state'],
  },
  holdMatterRecordings: {
    ...post(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/recordings'),
    action: 'account.legal_matters:update',
    summary: 'Add the device users of a selection of recordings, or of all that match a filter, to a matter',
    description: `Counts recordings that the caller may list. With “all”, reads up to ${FILTER_LIMIT} recordings that match the query.`,
    query: payloadFilters,
    body: setBody('payload_references', {
      payload_references: z.optional(uniqueList(PayloadReference, 1, BATCH_LIMIT)),
      /** With `all`: only those with these words, as in `searchPayloads`; not with `of_conversations`. */
      words: z.optional(Words),
      /** The recordings are the messages of whole conversations; a selection names one message of each. */
      of_conversations: z.optional(z.literal(true)),
    }).check(
      z.refine(({ words, of_conversations }) => words === undefined || !of_conversations, {
        error: 'words_and_conversations',
        path: ['words'],
      }),
    ),
    response: z.strictObject({
      ...held,
      /** Recordings without a device user, which no hold protects. */
      without_user: Count,
      /** Whether more than the limit matched. */
      is_cut: z.boolean(),
    }),
    problems: ['not_found', 'wrong_state', 'content_search_off'],
    secrets: ['words'],
  },
  releaseMatterPerson: {
    ...del(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}/people/{target_type}/{target}'),
    action: 'account.legal_matters:delete',
    summary: 'Remove a custodian from a legal matter',
    description: 'Returns 202 with a proposal if the account requires a second person.',
    params: { target_type: z.enum(HOLD_TARGETS) },
    query: { reason: HoldReason },
    response: LegalMatter,
    deferred: ProposalAnswer,
    problems: ['not_found', 'wrong_state', 'already_proposed', 'person_required'],
    secrets: ['reason'],
  },
  closeLegalMatter: {
    ...del(CLIENT_ACCOUNT, 'account/legal_matters/{matter_id}'),
    action: 'account.legal_matters:delete',
    summary: 'Close a legal matter permanently and release its custodians',
    description: 'Returns 202 with a proposal if the account requires a second person.',
    query: { reason: HoldReason },
    response: LegalMatter,
    deferred: ProposalAnswer,
    problems: ['not_found', 'wrong_state', 'already_proposed', 'person_required'],
    secrets: ['reason'],
  },
})
