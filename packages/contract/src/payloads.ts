import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery, Total, TOTAL_CAP } from './paging.ts'
import { PayloadContents, PayloadDataAnswer, Peaks, Thumbnail } from './payload-data.ts'
import { payloadFilters, Words } from './payload-filters.ts'
import { PayloadSummary } from './payload-summary.ts'
import { DATA_STATUSES, Service } from './payload-types.ts'
import { Payload, PayloadAudit } from './payload.ts'
import {
  AccessReason,
  BATCH_LIMIT,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  PayloadReference,
  queryInteger,
  text,
  uniqueList,
} from './scalars.ts'
import { Suggestion } from './suggestions.ts'

// Words are found by payload_time alone.
const { date_filter: _date, ...withWords } = payloadFilters
// The path names the one, and not the other.
const { device_reference: _device, ...ofDevice } = payloadFilters
const { device_user_reference: _user, ...ofUser } = payloadFilters

/** Totals that one call counts: as many as a screen shows together. */
export const TOTALS_LIMIT = 24

/** Data addresses live this long, in seconds (reading-the-spec: payload states). */
export const DATA_ADDRESS_SECONDS = 60

const DATA_ACTION = { query: 'action', of: { play: 'payloads:play', download: 'payloads:download' } } as const
const dataAction = z._default(z.enum(['play', 'download']), 'download')
/** The reason for a download, if the account requires one (`profile.reasons`). The audit log records it. */
const reason = z.optional(AccessReason)
const byReference = z.object({ payload_reference: PayloadReference })

const DATA_ADDRESS = `GET the address within ${DATA_ADDRESS_SECONDS} seconds, with Range where only a part is wanted; it belongs to whoever asked. \
A browser sends the cookie of its session along; a client app sends the bearer token it asked with, from one of its networks. Each use is audited.`

export const payloadEndpoints = endpoints({
  listPayloads: {
    method: 'GET',
    portal: 'client',
    path: 'payloads',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'The payloads that the caller may see, newest or oldest first, or their total',
    query: { ...pageQuery, ...payloadFilters },
    response: pageOf(PayloadSummary),
    problems: ['invalid_cursor'],
  },
  suggestPayloads: {
    method: 'GET',
    portal: 'client',
    path: 'suggestions',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    support: true,
    summary:
      'Parties, people and references of the newest payloads in reach that a search finds, while it is being typed',
    query: { search: text(1, 255), service: z.optional(Service) },
    response: z.strictObject({ data: z.array(Suggestion) }),
  },
  countPayloads: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/totals',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'How many of the payloads that the caller may see match each of several filters, in their order',
    query: {
      filters: z.array(z.strictObject(payloadFilters)).check(z.minLength(1), z.maxLength(TOTALS_LIMIT)),
      /** Counting what is not cheap to count stops here. */
      most: z._default(queryInteger(1, TOTAL_CAP), TOTAL_CAP),
    },
    response: z.strictObject({ totals: z.array(Total) }),
  },
  searchPayloads: {
    method: 'POST',
    portal: 'client',
    path: 'payloads/search',
    authentication: 'portal',
    action: 'payloads:search',
    concerns: 'groups',
    support: true,
    summary: 'The payloads in reach whose messages, notes or file names have words',
    description:
      'Where the account lets content be searched. Words of messages and of names of attachments count for whoever may play them, words of notes for whoever may read the payload. There is no total. `is_complete` is false while the index of words is being made. A page may be short and still have a next one.',
    query: { limit: pageQuery.limit, last_key: pageQuery.last_key, ...withWords },
    body: z.strictObject({ words: Words }),
    response: z.strictObject({
      count: Count,
      last_key: z.optional(z.string()),
      data: z.array(PayloadSummary),
      is_complete: z.boolean(),
    }),
    problems: ['content_search_off', 'invalid_cursor'],
    secrets: ['words'],
  },
  listPayloadsOfDevice: {
    method: 'GET',
    portal: 'client',
    path: 'devices/{device_reference}/payloads',
    authentication: 'portal',
    action: 'devices.payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'As listPayloads, of what one phone recorded',
    params: z.object({ device_reference: DeviceReference }),
    query: { ...pageQuery, ...ofDevice },
    response: pageOf(PayloadSummary),
    problems: ['not_found', 'invalid_cursor'],
  },
  listPayloadsOfUser: {
    method: 'GET',
    portal: 'client',
    path: 'users/{device_user_reference}/payloads',
    authentication: 'portal',
    action: 'users.payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'As listPayloads, of what one device user’s phones recorded',
    params: z.object({ device_user_reference: DeviceUserReference }),
    query: { ...pageQuery, ...ofUser },
    response: pageOf(PayloadSummary),
    problems: ['not_found', 'invalid_cursor'],
  },
  readPayload: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}',
    authentication: 'portal',
    action: 'payloads:read',
    concerns: 'groups',
    support: true,
    summary: 'One payload with its metadata',
    params: byReference,
    response: Payload,
    problems: ['not_found'],
  },
  readPayloadAudit: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}/audit',
    authentication: 'portal',
    action: 'payloads.audit:read',
    concerns: 'groups',
    support: true,
    summary: 'Who did what with a payload, and its receipts',
    params: byReference,
    response: PayloadAudit,
    problems: ['not_found'],
  },
  readPayloadPeaks: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}/peaks',
    authentication: 'portal',
    action: 'payloads:read',
    concerns: 'groups',
    support: true,
    summary: 'The waveform of a recording with sound',
    params: byReference,
    response: Peaks,
    problems: ['not_found'],
  },
  readPayloadContents: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}/contents',
    authentication: 'portal',
    action: 'payloads:read',
    concerns: 'groups',
    support: true,
    summary: 'What is in a payload whose data is an archive, by name and size, for whoever may download it',
    params: byReference,
    response: PayloadContents,
    problems: ['not_found'],
  },
  readPayloadData: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}/data',
    authentication: 'portal',
    action: DATA_ACTION,
    concerns: 'groups',
    support: true,
    summary: 'An address from which to play or download the data of a payload',
    description: DATA_ADDRESS,
    params: byReference,
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
    method: 'GET',
    portal: 'client',
    path: 'data',
    authentication: 'portal',
    action: DATA_ACTION,
    concerns: 'groups',
    support: true,
    summary: 'Addresses for the data of up to 100 payloads, each with its own status',
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
    method: 'GET',
    portal: 'client',
    path: 'data/archive',
    authentication: 'portal',
    action: 'payloads:download',
    concerns: 'groups',
    support: true,
    summary: 'An address for the data of up to 100 payloads as one zip, and the status of each',
    description: `${DATA_ADDRESS} The zip is made while it is sent; its last file, contents.csv, says of each payload what became of it, with SHA-256.`,
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT), reason },
    problems: ['reason_required'],
    response: z.strictObject({
      data: z.array(z.strictObject({ payload_reference: PayloadReference, status: z.enum(DATA_STATUSES) })),
      /** Absent when there is nothing that the caller may have. */
      s3_url: z.optional(z.string()),
      expires_at: z.optional(EpochSeconds),
    }),
  },
  readThumbnails: {
    method: 'GET',
    portal: 'client',
    path: 'thumbnails',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    support: true,
    summary: 'What a list shows of up to 100 photos and films, each with its own status',
    description:
      'Part of looking through a list, and audited as that; whoever may not play a payload has no thumbnail of it. Opening the photo or film itself is a play.',
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) },
    response: z.strictObject({ data: z.array(Thumbnail) }),
  },
})

export const PayloadQuery = payloadEndpoints.listPayloads.query
export type PayloadQuery = z.output<typeof PayloadQuery>
