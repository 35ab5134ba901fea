import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery, Total } from './paging.ts'
import { PayloadSummary } from './payload-summary.ts'
import { DATA_STATUSES, PayloadState, PayloadType, SERVICE_TYPES, Service } from './payload-types.ts'
import { Receipt } from './receipts.ts'
import {
  BATCH_LIMIT,
  ClientReference,
  Count,
  DateParameter,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  PayloadReference,
  queryBoolean,
  Sha256,
  text,
  ThreadId,
  uniqueList,
} from './scalars.ts'
import { Suggestion } from './suggestions.ts'

/** Which of a payload's times a list filters and sorts by (spec section 4). */
export const PAYLOAD_DATE_FILTERS = ['payload_time', 'updated_at', 'processed_at'] as const

/** What a list begins with. */
export const LIST_ORDERS = ['newest', 'oldest'] as const

/** Filters of payload lists, in bracket style on the wire. */
const payloadFilters = {
  /** Screen; implied by `payload_types`. */
  service: z.optional(Service),
  payload_types: z.optional(uniqueList(PayloadType, 1, 10)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  device_user_reference: z.optional(DeviceUserReference),
  device_reference: z.optional(DeviceReference),
  /** A party's number, exactly as recorded. */
  number: z.optional(text(1, 255)),
  /** What a person types: a number, its ending or its national form, beginnings of words of names, a reference (docs/search.md). */
  search: z.optional(text(1, 255)),
  thread_id: z.optional(ThreadId),
  states: z.optional(uniqueList(PayloadState, 1, 10)),
  is_late: z.optional(queryBoolean()),
  date_filter: z._default(z.enum(PAYLOAD_DATE_FILTERS), 'payload_time'),
  /** Of that time; an index is read from either end. */
  order: z._default(z.enum(LIST_ORDERS), 'newest'),
  /** Inclusive. */
  from: z.optional(DateParameter),
  /** Exclusive; a bare date means the midnight after it. */
  to: z.optional(DateParameter),
}

// The path names the one, and not the other.
const { device_reference: _device, ...ofDevice } = payloadFilters
const { device_user_reference: _user, ...ofUser } = payloadFilters

/** Totals that one call counts: as many as a screen shows together. */
export const TOTALS_LIMIT = 20

/** Why the portal cannot play data in the browser. */
export const UNPLAYABLE_REASONS = [
  'no_transcoder',
  'unsupported_format',
  'damaged_media',
  'too_large_to_convert',
  'conversion_failed',
  'not_media',
] as const

export const PayloadMedia = z.strictObject({
  content_type: z.string(),
  /** Bytes of the original. */
  size: Count,
  /** Seconds. */
  duration: z.optional(z.number()),
  width: z.optional(z.int()),
  height: z.optional(z.int()),
  codec: z.optional(z.string()),
  is_playable: z.boolean(),
  unplayable_reason: z.optional(z.enum(UNPLAYABLE_REASONS)),
  /** What is played: the phone's own bytes, or a rendition derived from them. */
  playback: z.optional(z.enum(['original', 'rendition'])),
  playback_content_type: z.optional(z.string()),
  has_peaks: z.boolean(),
  /** What a photo says of itself, where it says something: for whoever may see it. */
  in_file: z.optional(
    z.strictObject({
      location: z.optional(z.strictObject({ latitude: z.number(), longitude: z.number() })),
      /** From where the phone says it was, where it says so. */
      metres_away: z.optional(z.int()),
      /** Further than both can be wrong. */
      contradicts_phone: z.boolean(),
      /** Wall clock of the camera. */
      taken_at: z.optional(z.string()),
    }),
  ),
  /** What browsers need to play it, or its waveform, is still being made. The original can be downloaded meanwhile. */
  being_prepared: z.boolean(),
})
export type PayloadMedia = z.output<typeof PayloadMedia>

/** Malware scanners that an installation may have. */
export const SCANNERS = ['clamd', 'none'] as const

export const Payload = z.strictObject({
  client: ClientReference,
  ...PayloadSummary.shape,
  device_ip: z.optional(z.string()),
  key_id: z.optional(z.string()),
  encrypted_dek: z.optional(z.string()),
  iv: z.optional(z.string()),
  s3_path: z.optional(z.string()),
  /** SHA-256 of the sealed bytes, as announced by the phone and verified here. */
  checksum: z.optional(Sha256),
  /** SHA-256 of the opened bytes. */
  decrypted_checksum: z.optional(Sha256),
  meta: z.optional(z.record(z.string(), z.unknown())),
  media: z.optional(PayloadMedia),
  all_numbers: z.optional(z.string()),
  second_party_numbers: z.optional(z.string()),
  payload_end_time: z.optional(EpochSeconds),
  announced_at: EpochSeconds,
  /** What looked for malware before the data was released; `none` on an installation without scanner. */
  scanner: z.optional(z.enum(SCANNERS)),
  legacy_payload_reference: z.optional(z.string()),
  legacy_processed_time: z.optional(EpochSeconds),
  transferred_at: z.optional(EpochSeconds),
  receipt_confirmed_at: z.optional(EpochSeconds),
  receipt_confirmed_by: z.optional(z.string()),
  updated_by: z.optional(z.string()),
})
export type Payload = z.output<typeof Payload>

/** What was done with a payload, newest first. */
export const PayloadAudit = z.strictObject({
  payload_reference: PayloadReference,
  records: z.array(z.strictObject({ portal_user: z.string(), action: z.string(), time: EpochSeconds })),
  receipts: z.array(Receipt),
})

export const PayloadDataAnswer = z.strictObject({
  payload_reference: PayloadReference,
  status: z.enum(DATA_STATUSES),
  /** Lives at most a minute, for the asking user only. Absent unless the status is Ok. */
  s3_url: z.optional(z.string()),
  expires_at: z.optional(EpochSeconds),
  content_type: z.optional(z.string()),
  /** The address is that of the original, because what browsers would play is still being made: ask again later. */
  being_prepared: z.optional(z.boolean()),
})
export type PayloadDataAnswer = z.output<typeof PayloadDataAnswer>

/** A thumbnail in a list: a JPEG in Base64, absent where there is none or the status is not Ok. */
export const Thumbnail = z.strictObject({
  payload_reference: PayloadReference,
  status: z.enum(DATA_STATUSES),
  jpeg: z.optional(z.string()),
})
export type Thumbnail = z.output<typeof Thumbnail>

/** The waveform: pairs of lowest and highest sample (−128 to 127) of equal slices of time. */
export const Peaks = z.strictObject({
  /** Seconds. */
  duration: z.number(),
  peaks: z.array(z.int().check(z.gte(-128), z.lte(127))),
  /** Stretches without sound, in seconds from the start. */
  silences: z.array(z.tuple([z.number(), z.number()])),
})
export type Peaks = z.output<typeof Peaks>

/** Data addresses live this long, in seconds (reading-the-spec: payload states). */
export const DATA_ADDRESS_SECONDS = 60

const DATA_ACTION = { query: 'action', of: { play: 'payloads:play', download: 'payloads:download' } } as const
const dataAction = z._default(z.enum(['play', 'download']), 'download')
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
    summary: 'How many of the payloads that the caller may see match each of several filters, in their order',
    query: {
      filters: z.array(z.strictObject(payloadFilters)).check(z.minLength(1), z.maxLength(TOTALS_LIMIT)),
    },
    response: z.strictObject({ totals: z.array(Total) }),
  },
  listPayloadsOfDevice: {
    method: 'GET',
    portal: 'client',
    path: 'devices/{device_reference}/payloads',
    authentication: 'portal',
    action: 'devices.payloads:list',
    concerns: 'groups',
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
    summary: 'The waveform of a recording with sound',
    params: byReference,
    response: Peaks,
    problems: ['not_found'],
  },
  readPayloadData: {
    method: 'GET',
    portal: 'client',
    path: 'payloads/{payload_reference}/data',
    authentication: 'portal',
    action: DATA_ACTION,
    concerns: 'groups',
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
    },
    response: PayloadDataAnswer,
    problems: ['not_found'],
  },
  readData: {
    method: 'GET',
    portal: 'client',
    path: 'data',
    authentication: 'portal',
    action: DATA_ACTION,
    concerns: 'groups',
    summary: 'Addresses for the data of up to 100 payloads, each with its own status',
    description: DATA_ADDRESS,
    query: {
      action: dataAction,
      payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT),
    },
    response: z.strictObject({ data: z.array(PayloadDataAnswer) }),
  },
  readThumbnails: {
    method: 'GET',
    portal: 'client',
    path: 'thumbnails',
    authentication: 'portal',
    action: 'payloads:list',
    concerns: 'groups',
    summary: 'What a list shows of up to 100 photos and films, each with its own status',
    description:
      'Part of looking through a list, and audited as that; whoever may not play a payload has no thumbnail of it. Opening the photo or film itself is a play.',
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) },
    response: z.strictObject({ data: z.array(Thumbnail) }),
  },
})

export const PayloadQuery = payloadEndpoints.listPayloads.query
export type PayloadQuery = z.output<typeof PayloadQuery>

/** The service whose screen shows a payload type. */
export function serviceOf(type: PayloadType): Service {
  for (const [service, types] of Object.entries(SERVICE_TYPES)) {
    if ((types as readonly PayloadType[]).includes(type)) return service as Service
  }
  throw new Error(`no service shows ${type}`)
}
