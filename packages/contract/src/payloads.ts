import * as z from 'zod/mini'
import { Suggestion } from './contacts.ts'
import {
  listOrder,
  CLIENT_GROUPS,
  dateRange,
  endpoints,
  get,
  mostCounted,
  getPage,
  pageQuery,
  post,
  recordFilters,
  Total,
} from './endpoint.ts'
import { DATA_STATUSES, HEARD, MARKS, PayloadState, PayloadType, Service } from './payload-types.ts'
import {
  Payload,
  PayloadAudit,
  PayloadContents,
  PayloadDataAnswer,
  PayloadSummary,
  Peaks,
  Thumbnail,
} from './payload.ts'
import {
  AccessReason,
  BATCH_LIMIT,
  Count,
  EpochSeconds,
  PayloadReference,
  queryBoolean,
  queryInteger,
  text,
  ThreadId,
  uniqueList,
} from './scalars.ts'

/** Times for filters and order of payload lists (spec section 4). */
export const PAYLOAD_DATE_FILTERS = ['payload_time', 'updated_at', 'processed_at'] as const

/** A mark, or none at all. */
export const MARK_FILTERS = ['none', ...MARKS] as const

/** Optional fields of a list row, at a cost. */
export const LIST_EXTRAS = ['receipt', 'mark', 'heard', 'held'] as const
export type ListExtra = (typeof LIST_EXTRAS)[number]

/** Filters of payload lists, in bracket style on the wire. */
export const payloadFilters = {
  /** Screen; implied by `payload_types`. */
  service: z.optional(Service),
  payload_types: z.optional(uniqueList(PayloadType, 1, 10)),
  ...recordFilters,
  /** A party's number, exactly as recorded. */
  number: z.optional(text(1, 255)),
  /** Search text: a number, its ending or national form, prefixes of names, or a reference (docs/search.md). */
  search: z.optional(text(1, 255)),
  thread_id: z.optional(ThreadId),
  states: z.optional(uniqueList(PayloadState, 1, 10)),
  is_late: z.optional(queryBoolean()),
  /** Whether it failed because it is not as its device sealed it. */
  is_altered: z.optional(queryBoolean()),
  /** True: only duplicate uploads of messages. Absent or false: no duplicates. */
  is_copy: z.optional(queryBoolean()),
  /** Whether a receipt was confirmed. */
  has_receipt: z.optional(queryBoolean()),
  /** The last mark of any reviewer, or no mark. */
  mark: z.optional(z.enum(MARK_FILTERS)),
  /** Restricts `mark` to the caller's own last mark. */
  marked_by_me: z.optional(queryBoolean()),
  /** Who opened it: the caller, other users only, or no user. */
  heard: z.optional(z.enum(HEARD)),
  /** Whether it is on legal hold. Requires the right to list holds; otherwise the result is empty. */
  is_held: z.optional(queryBoolean()),
  /** Optional fields of the rows, within the caller's rights; absent: none. */
  include: z.optional(uniqueList(z.enum(LIST_EXTRAS), 1, LIST_EXTRAS.length)),
  date_filter: z._default(z.enum(PAYLOAD_DATE_FILTERS), 'payload_time'),
  /** Order by that time; the index serves both directions. */
  order: listOrder,
  ...dateRange,
}

/**
 * Words that a text must contain; quotes mean adjacent words, and `*` a prefix (docs/search.md). The body contains
 * them, because a search reveals a suspicion and must not be in addresses, logs or histories.
 */
export const Words = text(1, 255)

// The word index supports payload_time only.
const { date_filter: _date, ...searchFilters } = payloadFilters
const Epoch = queryInteger(0, Number.MAX_SAFE_INTEGER)
const withWords = {
  ...searchFilters,
  /** Only texts processed and indexed since then, in epoch seconds, inclusive: `seen_until` of a former total. */
  processed_from: z.optional(Epoch),
  /** Exclusive. */
  processed_to: z.optional(Epoch),
  /** Payloads that the user has seen among those processed since then: omitted. */
  except: z.optional(uniqueList(PayloadReference, 1, BATCH_LIMIT)),
}
// The path already names one of the two.
const { device_reference: _device, ...ofDevice } = payloadFilters
const { device_user_reference: _user, ...ofUser } = payloadFilters

/** The results of a search by words that match its filters, and the number of each type whatever `payload_types` says. */
export const SearchTotal = z.extend(Total, {
  by_type: z.optional(z.partialRecord(PayloadType, Count)),
  /** False while the server builds the index. */
  is_complete: z.optional(z.boolean()),
  /** A later search with this as `processed_from` misses no new result; `except` omits those processed since that are seen. */
  seen_until: z.optional(EpochSeconds),
})
export type SearchTotal = z.output<typeof SearchTotal>

/** Maximum payloads whose snippets one call reads. */
export const SNIPPETS_LIMIT = 25
/** Where a snippet comes from. */
export const SNIPPET_PLACES = ['text', 'file', 'note'] as const
/** Out of reach is `NoMatchingRecord`. `NoSnippet`: no data, no right to the text, no such words, or too large. */
export const SNIPPET_STATUSES = ['Ok', 'NoMatchingRecord', 'NoSnippet'] as const
/** A part of a payload's text that has words of a search. */
export const Snippet = z.strictObject({
  payload_reference: PayloadReference,
  status: z.enum(SNIPPET_STATUSES),
  /** The part and where it is from, if Ok. */
  passage: z.optional(z.strictObject({ place: z.enum(SNIPPET_PLACES), text: z.string() })),
})
export type Snippet = z.output<typeof Snippet>

/** Maximum totals of one call: the number that a screen shows. */
export const TOTALS_LIMIT = 24

/** Lifetime of data addresses in seconds (reading-the-spec: payload states). */
export const DATA_ADDRESS_SECONDS = 60

const DATA_ACTION = { query: 'action', of: { play: 'payloads:play', download: 'payloads:download' } } as const
const dataAction = z._default(z.enum(['play', 'download']), 'download')
/** The reason for a download, if the account requires one (`profile.reasons`). The audit log records it. */
const reason = z.optional(AccessReason)

const DATA_ADDRESS = `GET the address within ${DATA_ADDRESS_SECONDS} seconds, with Range for a part. Only the caller can use it: \
a browser with its session cookie, a client app with its bearer token from one of its networks. The audit log records each use.`

export const payloadEndpoints = endpoints({
  listPayloads: {
    ...get(CLIENT_GROUPS, 'payloads'),
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'List or count the payloads within the caller’s reach',
    query: { ...pageQuery, ...mostCounted, ...payloadFilters },
    response: getPage(PayloadSummary),
  },
  suggestPayloads: {
    ...get(CLIENT_GROUPS, 'suggestions'),
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'Suggest parties, people and references while the user types',
    query: { search: text(1, 255), service: z.optional(Service) },
    response: z.strictObject({ data: z.array(Suggestion) }),
  },
  countPayloads: {
    ...get(CLIENT_GROUPS, 'payloads/totals'),
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'Count the payloads that match each of several filters',
    query: {
      filters: z.array(z.strictObject(payloadFilters)).check(z.minLength(1), z.maxLength(TOTALS_LIMIT)),
      ...mostCounted,
    },
    response: z.strictObject({ totals: z.array(Total) }),
  },
  searchPayloads: {
    ...post(CLIENT_GROUPS, 'payloads/search'),
    action: 'payloads:search',
    support: true,
    matters: true,
    summary: 'Search messages, notes and file names of payloads',
    description:
      'Requires content search on the account. Matches messages and attachment names only for callers who may play them, and notes for callers who may read the payload. `is_complete` is false while the server builds the index. A short page may have a next page. The total counts the first results of all types.',
    query: { ...pageQuery, ...withWords },
    body: z.strictObject({ words: Words }),
    response: z.union([
      z.strictObject({
        count: Count,
        last_key: z.optional(z.string()),
        data: z.array(PayloadSummary),
        is_complete: z.boolean(),
      }),
      SearchTotal,
    ]),
    problems: ['content_search_off'],
    secrets: ['words'],
  },
  readSnippets: {
    ...post(CLIENT_GROUPS, 'payloads/snippets'),
    action: 'payloads.snippets:read',
    support: true,
    matters: true,
    summary: 'Read the passages of search results that contain the words',
    description:
      'Shows content: messages and attachment names require the right to search and play the payload, notes to search and read it. The audit log of each payload shown records it.',
    body: z.strictObject({
      words: Words,
      payload_references: uniqueList(PayloadReference, 1, SNIPPETS_LIMIT),
    }),
    response: z.strictObject({ data: z.array(Snippet) }),
    problems: ['content_search_off'],
    secrets: ['words'],
  },
  listPayloadsOfDevice: {
    ...get(CLIENT_GROUPS, 'devices/{device_reference}/payloads'),
    action: 'devices.payloads:list',
    support: true,
    summary: 'List the payloads of a device',
    query: { ...pageQuery, ...mostCounted, ...ofDevice },
    response: getPage(PayloadSummary),
    problems: ['not_found'],
  },
  listPayloadsOfUser: {
    ...get(CLIENT_GROUPS, 'users/{device_user_reference}/payloads'),
    action: 'users.payloads:list',
    support: true,
    summary: 'List the payloads of a device user',
    query: { ...pageQuery, ...mostCounted, ...ofUser },
    response: getPage(PayloadSummary),
    problems: ['not_found'],
  },
  readPayload: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}'),
    action: 'payloads:read',
    support: true,
    matters: true,
    summary: 'Show a payload with its metadata',
    response: Payload,
    problems: ['not_found'],
  },
  readPayloadAudit: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/audit'),
    action: 'payloads.audit:read',
    support: true,
    matters: true,
    summary: 'List the activities and receipts of a payload',
    response: PayloadAudit,
    problems: ['not_found'],
  },
  readPayloadPeaks: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/peaks'),
    action: 'payloads:read',
    support: true,
    matters: true,
    summary: 'Show the waveform of a recording',
    response: Peaks,
    problems: ['not_found'],
  },
  readPayloadContents: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/contents'),
    action: 'payloads:read',
    support: true,
    matters: true,
    summary: 'List the files of an archive payload by name and size',
    response: PayloadContents,
    problems: ['not_found'],
  },
  readPayloadData: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/data'),
    action: DATA_ACTION,
    support: true,
    matters: true,
    summary: 'Get an address to play or download a payload',
    description: DATA_ADDRESS,
    query: {
      action: dataAction,
      /** An attachment of a message, counted from 0, or the whole of a text that conversations shorten; absent: all of it. */
      part: z.optional(
        z.pipe(
          z.string().check(z.regex(/^(?:\d{1,3}|text)$/)),
          z.transform((part) => (part === 'text' ? ('text' as const) : Number(part))),
        ),
      ),
      reason,
    },
    response: PayloadDataAnswer,
    problems: ['not_found', 'reason_required'],
  },
  readData: {
    ...get(CLIENT_GROUPS, 'data'),
    action: DATA_ACTION,
    support: true,
    matters: true,
    summary: 'Get addresses to play or download up to 100 payloads',
    description: DATA_ADDRESS,
    query: {
      action: dataAction,
      payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT),
      reason,
    },
    response: z.strictObject({ data: z.array(PayloadDataAnswer) }),
    problems: ['reason_required'],
  },
  readDataArchive: {
    ...get(CLIENT_GROUPS, 'data/archive'),
    action: 'payloads:download',
    support: true,
    matters: true,
    summary: 'Get an address to download up to 100 payloads as zip',
    description: `${DATA_ADDRESS} The server streams the zip; its last file, contents.csv, lists each outcome with SHA-256.`,
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT), reason },
    problems: ['reason_required'],
    response: z.strictObject({
      data: z.array(z.strictObject({ payload_reference: PayloadReference, status: z.enum(DATA_STATUSES) })),
      /** Absent if no data is available to the caller. */
      s3_url: z.optional(z.string()),
      expires_at: z.optional(EpochSeconds),
    }),
  },
  readThumbnails: {
    ...get(CLIENT_GROUPS, 'thumbnails'),
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'Get the thumbnails of up to 100 photos and videos',
    description:
      'The audit log records it as part of a list. Requires the right to play the payload. Opening the photo or video itself counts as a play.',
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) },
    response: z.strictObject({ data: z.array(Thumbnail) }),
  },
})

export const PayloadQuery = payloadEndpoints.listPayloads.query
export type PayloadQuery = z.output<typeof PayloadQuery>
