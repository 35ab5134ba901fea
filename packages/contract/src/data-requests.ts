import * as z from 'zod/mini'
import { UpdatedBy } from './access.ts'
import { ADMIN_ACCOUNT, dateRange, endpoints, get, getPage, pageQuery, post, put } from './endpoint.ts'
import { HoldReason } from './legal-holds.ts'
import { PayloadType, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import { LOCALES } from './phrases.ts'
import {
  authors,
  AccessReason,
  ClientReference,
  Count,
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

/** States of a request; all but the first are final. */
export const REQUEST_STATES = ['Open', 'Answered', 'Refused', 'Withdrawn'] as const
export type RequestState = (typeof REQUEST_STATES)[number]
export const REQUEST_ENDS = ['Answered', 'Refused', 'Withdrawn'] as const satisfies readonly RequestState[]

/** Maximum characters of the note. */
export const REQUEST_NOTE_LIMIT = 2000
/** Maximum days between the receipt of a request and its entry. */
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
  /** Name of a device user or portal user; null: not known, or a number. */
  subject_name: z.nullable(z.string()),
  received_at: EpochSeconds,
  /** Null: without undue delay. */
  due_at: z.nullable(EpochSeconds),
  opened_at: EpochSeconds,
  ...authors({ opened_by: z.string() }),
  state: z.enum(REQUEST_STATES),
  closed_at: z.nullable(EpochSeconds),
  ...authors({ closed_by: z.nullable(z.string()) }),
  /** When the request itself is destroyed; null: it is open. */
  destroy_at: z.nullable(EpochSeconds),
  updated_by: UpdatedBy,
})
export type DataRequest = z.output<typeof DataRequest>

const RequestCopy = z.strictObject({
  /** The export of the copy while it is available to its creator. */
  export_id: Ulid,
  made_at: EpochSeconds,
  ...authors({ made_by: z.string() }),
  items: Count,
  /** Payloads without data available to its creator. */
  refused: Count,
  /** Deleted payloads, which the copy omits; null: an older copy without this count. */
  deleted: z.nullable(Count),
  /** Whether the payloads exceeded the limit of an export. */
  is_cut: z.boolean(),
})

export const DataRequestDetail = z.strictObject({
  ...DataRequest.def.shape,
  /** Null: no note, or the stored note is damaged. */
  note: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** Copies of its recordings, newest first. */
  copies: z.array(RequestCopy),
})
export type DataRequestDetail = z.output<typeof DataRequestDetail>

/** From the earliest to the latest; null: never, or not known yet. */
const When = z.nullable(z.strictObject({ earliest: EpochSeconds, latest: EpochSeconds }))

/** Recordings of one type under one policy entry, or under none. */
const KeptPayloads = z.strictObject({
  payload_type: PayloadType,
  count: Count,
  first_at: EpochSeconds,
  last_at: EpochSeconds,
  /** The policy entry; null: they stay permanently. */
  rule: z.nullable(
    z.strictObject({
      policy_version: Count,
      delete_after_days: z.nullable(Count),
      destroy_after_days: z.nullable(Count),
      retention_timestamp: z.enum(RETENTION_BASES),
    }),
  ),
  /** The legal minimum, the number that it keeps now, and the end of the last. */
  minimum: z.nullable(
    z.strictObject({ days: Count, legal_basis: z.string(), keeps: Count, until: z.nullable(EpochSeconds) }),
  ),
  /** Deleted and not yet destroyed. */
  deleted: Count,
  /** Forecast without regard to holds. */
  delete_at: When,
  destroy_at: When,
  /** Number on legal hold; null: the reader lacks the right. */
  held: z.nullable(Count),
  /** Other reasons to wait; a recording counts once per reason. */
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
  'Plays',
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
  /** Of ended records, without regard to holds. */
  destroy_at: When,
  /** Records without expiry. For a payload: it was destroyed with their text; the fact of their existence stays. */
  never: Count,
  /** Records in use, which stay regardless of the policy. */
  under_way: Count,
  held: z.nullable(Count),
})
export type KeptRecords = z.output<typeof KeptRecords>

export const DataRequestReport = z.strictObject({
  data_request_id: Ulid,
  /** Database time of the summary. */
  at: EpochSeconds,
  /** The reader's rights cover some groups or types only: the summary omits the rest, and all other records. */
  is_confined: z.boolean(),
  payloads: z.array(KeptPayloads),
  /** Number of destroyed recordings; null: unknown for a number, because ledger entries name no numbers. */
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
  /** Null: the reader is restricted to groups or types. */
  records: z.nullable(z.array(KeptRecords)),
})
export type DataRequestReport = z.output<typeof DataRequestReport>

export const dataRequestEndpoints = endpoints({
  listDataRequests: {
    ...get(ADMIN_ACCOUNT, 'account/data_requests'),
    action: 'account.data_requests:list',
    summary: 'List data subject requests, open ones first, by due date',
    description:
      'An open request without a legal period is due on receipt. Closed requests follow, last closed first, until their destruction.',
    query: {
      ...pageQuery,
      state: z.optional(z.enum(REQUEST_STATES)),
      kind: z.optional(z.enum(REQUEST_KINDS)),
      subject: z.optional(UserReference),
    },
    response: getPage(DataRequest),
    secrets: ['subject'],
  },
  openDataRequest: {
    ...post(ADMIN_ACCOUNT, 'account/data_requests'),
    action: 'account.data_requests:create',
    summary: 'Create a data subject request',
    description:
      'The law sets the due date. GDPR: one month after receipt, three with an announced extension. LGPD: 15 days. MiFID II: without undue delay. Deletes nothing.',
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
    ...get(ADMIN_ACCOUNT, 'account/data_requests/{data_request_id}'),
    action: 'account.data_requests:read',
    summary: 'Show a data subject request with its note and copies',
    response: DataRequestDetail,
    problems: ['not_found'],
  },
  readDataRequestReport: {
    ...get(ADMIN_ACCOUNT, 'account/data_requests/{data_request_id}/report'),
    action: 'account.data_requests:read',
    summary: 'Show the records of a data subject and their retention',
    description:
      'Counts the records that the caller may list, and states whether the counts are complete. Counts held records for callers who may list holds.',
    response: DataRequestReport,
    problems: ['not_found'],
  },
  copyDataRequest: {
    ...post(ADMIN_ACCOUNT, 'account/data_requests/{data_request_id}/copies'),
    action: 'account.data_requests:copy',
    summary: 'Export the recordings of an open data subject request',
    description:
      'Requires payloads:export and contains the payloads that the caller may export. Legal holds do not prevent copies. Erasure requests and requests about portal users have no copies.',
    body: z.strictObject({
      ...dateRange,
      reason: z.optional(AccessReason),
      /** With evidence, which names the people who opened the recordings. */
      evidence: z._default(z.boolean(), false),
      /** Language of the report in each part. */
      locale: z._default(z.enum(LOCALES), LOCALES[0]),
    }),
    response: RequestCopy,
    problems: ['not_found', 'wrong_state', 'reason_required'],
  },
  closeDataRequest: {
    ...put(ADMIN_ACCOUNT, 'account/data_requests/{data_request_id}/state'),
    action: 'account.data_requests:update',
    summary: 'Close a data subject request as answered, refused or withdrawn',
    body: z.strictObject({ state: z.enum(REQUEST_ENDS), reason: HoldReason }),
    response: DataRequest,
    problems: ['not_found', 'wrong_state'],
    secrets: ['reason'],
  },
})
