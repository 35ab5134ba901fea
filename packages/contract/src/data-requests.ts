import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import { endpoints } from './endpoint.ts'
import { HoldReason } from './legal-holds.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { PayloadType, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import {
  AccessReason,
  ClientReference,
  Count,
  DateParameter,
  EpochSeconds,
  prose,
  Ulid,
  UserReference,
} from './scalars.ts'

/** Laws of data subject requests, with their kinds. */
export const REQUEST_LAWS = {
  GDPR: ['Access', 'Copy', 'Erasure'],
  LGPD: ['Access', 'Copy', 'Erasure'],
  'MiFID II': ['ClientCopy'],
} as const satisfies Record<string, readonly string[]>
export type RequestLaw = keyof typeof REQUEST_LAWS
const LAWS = Object.keys(REQUEST_LAWS) as [RequestLaw, ...RequestLaw[]]

/** What the data subject requests. No kind deletes anything. */
export const REQUEST_KINDS = ['Access', 'Copy', 'Erasure', 'ClientCopy'] as const
export type RequestKind = (typeof REQUEST_KINDS)[number]

/** The subject of a request: a recorded person, a portal user, or a phone number. */
export const REQUEST_SUBJECTS = ['DeviceUser', 'PortalUser', 'Number'] as const
export type RequestSubject = (typeof REQUEST_SUBJECTS)[number]

/** How a request stands; all but the first are final. */
export const REQUEST_STATES = ['Open', 'Answered', 'Refused', 'Withdrawn'] as const
export type RequestState = (typeof REQUEST_STATES)[number]
/** How it ends. */
export const REQUEST_ENDS = ['Answered', 'Refused', 'Withdrawn'] as const satisfies readonly RequestState[]

/** Letters of the note. */
export const REQUEST_NOTE_LIMIT = 2000
/** Days that may lie between the receipt of a request and its being entered. */
export const REQUEST_ENTERED_DAYS = 365
/**
 * Days for which an ended request is kept, with subject, note, reason and copies: three years, within which a
 * supervisory authority may ask about it. The account's retention policy does not change this.
 */
export const REQUEST_KEPT_DAYS = 1096
/** Days before the due date on which an open request raises an alert. */
export const REQUEST_WARNING_DAYS = 3

export const DataRequest = z.strictObject({
  client: ClientReference,
  data_request_id: Ulid,
  kind: z.enum(REQUEST_KINDS),
  law: z.enum(LAWS),
  subject_type: z.enum(REQUEST_SUBJECTS),
  subject: z.string(),
  received_at: EpochSeconds,
  /** Null: without undue delay. */
  due_at: z.nullable(EpochSeconds),
  opened_at: EpochSeconds,
  opened_by: z.string(),
  state: z.enum(REQUEST_STATES),
  closed_at: z.nullable(EpochSeconds),
  closed_by: z.nullable(z.string()),
  /** When the request itself is destroyed; null: it is open. */
  destroy_at: z.nullable(EpochSeconds),
  updated_by: UpdatedBy,
})
export type DataRequest = z.output<typeof DataRequest>

const RequestCopy = z.strictObject({
  /** Of its maker, for as long as it can be fetched. */
  export_id: Ulid,
  made_at: EpochSeconds,
  made_by: z.string(),
  items: Count,
  /** Those of which its maker could have nothing. */
  refused: Count,
  /** Those that were deleted then, and are not in it; null: of copies that were made before this was counted. */
  deleted: z.nullable(Count),
  /** Whether there was more than an export holds. */
  is_cut: z.boolean(),
})

export const DataRequestDetail = z.strictObject({
  ...DataRequest.def.shape,
  /** Null: no note, or the stored note is damaged. */
  note: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** Copies that were made for it, the newest first. */
  copies: z.array(RequestCopy),
})
export type DataRequestDetail = z.output<typeof DataRequestDetail>

/** From the earliest to the latest; null: never, or not known yet. */
const When = z.nullable(z.strictObject({ earliest: EpochSeconds, latest: EpochSeconds }))

/** Recordings of one type for which one entry of the policy counts, or none. */
const KeptPayloads = z.strictObject({
  payload_type: PayloadType,
  count: Count,
  first_at: EpochSeconds,
  last_at: EpochSeconds,
  /** What the policy says of them; null: nothing, they stay for good. */
  rule: z.nullable(
    z.strictObject({
      policy_version: Count,
      delete_after_days: z.nullable(Count),
      destroy_after_days: z.nullable(Count),
      retention_timestamp: z.enum(RETENTION_BASES),
    }),
  ),
  /** What the law asks for, how many it keeps now, and until when the last of them. */
  minimum: z.nullable(
    z.strictObject({
      days: Count,
      legal_basis: z.string(),
      keeps: Count,
      until: z.nullable(EpochSeconds),
    }),
  ),
  /** Deleted already, and not destroyed yet. */
  deleted: Count,
  /** As far as is known now, holds aside. */
  delete_at: When,
  destroy_at: When,
  /** How many a hold stops; null: the reader may not know. */
  held: z.nullable(Count),
  /** What else they wait for; one counts for each of its reasons. */
  waits: z.array(z.strictObject({ reason: z.enum(RETENTION_BLOCKS), count: Count })),
})
export type KeptPayloads = z.output<typeof KeptPayloads>

/** Other records of a request: those of a device or person, and texts that users wrote on recordings. */
export const REQUEST_RECORDS = [
  'Logs',
  'Positions',
  'Telemetry',
  'Commands',
  'DeviceActivities',
  'Activities',
  'Sessions',
  'Acceptances',
  'SupportRequests',
  'Comments',
  'Marks',
  'Receipts',
] as const
export type RequestRecord = (typeof REQUEST_RECORDS)[number]

const KeptRecords = z.strictObject({
  kind: z.enum(REQUEST_RECORDS),
  /** The policy entry that applies to them; of a payload: they expire with their recording. */
  follows: z.enum(['Device', 'PortalUser', 'SupportAccessRequest', 'Payload']),
  count: Count,
  first_at: EpochSeconds,
  last_at: EpochSeconds,
  /** Of those that are over; holds aside. */
  destroy_at: When,
  /** Nothing says that these go. Of a payload: it was destroyed, with their text; that they were there stays. */
  never: Count,
  /** Not over yet: they stay whatever the policy says. */
  under_way: Count,
  held: z.nullable(Count),
})
export type KeptRecords = z.output<typeof KeptRecords>

export const DataRequestReport = z.strictObject({
  data_request_id: Ulid,
  /** By the clock of the database. */
  at: EpochSeconds,
  /** The reader's rights cover some groups or types only: the summary omits the rest, and all other records. */
  is_confined: z.boolean(),
  payloads: z.array(KeptPayloads),
  /** What was destroyed already; null: unknown for a number, because ledger entries name no numbers. */
  destroyed: z.nullable(
    z.array(
      z.strictObject({
        payload_type: PayloadType,
        count: Count,
        first_at: EpochSeconds,
        last_at: EpochSeconds,
      }),
    ),
  ),
  /** Null: the reader is confined. */
  records: z.nullable(z.array(KeptRecords)),
})
export type DataRequestReport = z.output<typeof DataRequestReport>

const ofRequest = z.object({ client: ClientReference, data_request_id: Ulid })

export const dataRequestEndpoints = endpoints({
  listDataRequests: {
    method: 'GET',
    portal: 'admin',
    path: 'account/data_requests',
    authentication: 'portal',
    action: 'account.data_requests:list',
    concerns: 'account',
    summary: 'Requests of people about what is kept of them: the open ones first, by when they are due',
    description:
      'An open one whose law names no time is due when it was received. Those that have ended follow, the last that ended first, until they are destroyed.',
    params: inClient,
    query: {
      ...pageQuery,
      state: z.optional(z.enum(REQUEST_STATES)),
      kind: z.optional(z.enum(REQUEST_KINDS)),
      /** The exact subject. */
      subject: z.optional(UserReference),
    },
    response: pageOf(DataRequest),
    problems: ['invalid_cursor'],
    secrets: ['subject'],
  },
  openDataRequest: {
    method: 'POST',
    portal: 'admin',
    path: 'account/data_requests',
    authentication: 'portal',
    action: 'account.data_requests:create',
    concerns: 'account',
    summary: 'Enters what somebody asks for',
    description:
      'It is due when the law says: by the GDPR a month after its receipt, three at the latest where that is told; by the LGPD after 15 days; by MiFID II without undue delay. Deletes nothing.',
    params: inClient,
    body: z.strictObject({
      kind: z.enum(REQUEST_KINDS),
      law: z.enum(LAWS),
      subject_type: z.enum(REQUEST_SUBJECTS),
      /** A reference, the name of a portal user, or a number in any grouping. */
      subject: UserReference,
      received_at: EpochSeconds,
      /** Absent: the legal due date. */
      due_at: z.optional(EpochSeconds),
      note: z.optional(prose(1, REQUEST_NOTE_LIMIT)),
    }),
    response: DataRequest,
    problems: ['not_found'],
    secrets: ['subject', 'note'],
  },
  readDataRequest: {
    method: 'GET',
    portal: 'admin',
    path: 'account/data_requests/{data_request_id}',
    authentication: 'portal',
    action: 'account.data_requests:read',
    concerns: 'account',
    summary: 'A request, its note, and the copies that were made for it',
    params: ofRequest,
    response: DataRequestDetail,
    problems: ['not_found'],
  },
  readDataRequestReport: {
    method: 'GET',
    portal: 'admin',
    path: 'account/data_requests/{data_request_id}/report',
    authentication: 'portal',
    action: 'account.data_requests:read',
    concerns: 'account',
    summary: 'What is kept of whom a request is about: until when, by what, and what stops that',
    description:
      'Counts what the caller may list, and says whether that is all there can be. What a hold keeps is counted for those who may list holds.',
    params: ofRequest,
    response: DataRequestReport,
    problems: ['not_found'],
  },
  copyDataRequest: {
    method: 'POST',
    portal: 'admin',
    path: 'account/data_requests/{data_request_id}/copies',
    authentication: 'portal',
    action: 'account.data_requests:copy',
    concerns: 'account',
    summary: 'Makes an export of the recordings that an open request is about, for its maker to fetch',
    description:
      'Needs payloads:export; holds what the caller may export. A legal hold stops no copy. A request for erasure, and one about somebody who only signs in, has none.',
    params: ofRequest,
    body: z.strictObject({
      /** Inclusive. */
      from: z.optional(DateParameter),
      /** Exclusive; a bare date means the midnight after it. */
      to: z.optional(DateParameter),
      reason: z.optional(AccessReason),
    }),
    response: RequestCopy,
    problems: ['not_found', 'wrong_state', 'reason_required'],
  },
  closeDataRequest: {
    method: 'PUT',
    portal: 'admin',
    path: 'account/data_requests/{data_request_id}/state',
    authentication: 'portal',
    action: 'account.data_requests:update',
    concerns: 'account',
    summary: 'Ends an open request: it was answered, refused or withdrawn',
    params: ofRequest,
    body: z.strictObject({ state: z.enum(REQUEST_ENDS), reason: HoldReason }),
    response: DataRequest,
    problems: ['not_found', 'wrong_state'],
    secrets: ['reason'],
  },
})
