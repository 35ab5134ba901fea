import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints, person_name, post } from './endpoint.ts'
import { HOLD_TARGETS, target_name } from './legal-holds.ts'
import { Direction } from './payload-meta.ts'
import {
  DATA_STATUSES,
  FAILURE_CODES,
  HEARD,
  Mark,
  OWN,
  PayloadState,
  PayloadType,
  RETENTION_BASES,
  RETENTION_BLOCKS,
  TIME_WARNINGS,
} from './payload-types.ts'
import { Listener, PlayedPart } from './plays.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  NonNegative,
  PayloadReference,
  Sha256,
  uniqueList,
} from './scalars.ts'

/** A party as shown in lists. */
export const Party = z.strictObject({
  phone_number: z.nullable(z.string()),
  contact_name: z.optional(z.nullable(z.string())),
  direction: z.optional(Direction),
})
export type Party = z.output<typeof Party>

/** Fields known from the moment of the announcement. */
const announced = {
  payload_reference: PayloadReference,
  payload_type: PayloadType,
  payload_state: PayloadState,
  /** As the device reported it. */
  payload_time: EpochSeconds,
  /** Time of the announcement. Lists use it if the times of the device are more than a day ahead. */
  listed_at: z.optional(EpochSeconds),
  device_reference: DeviceReference,
  device_model: z.optional(z.string()),
  device_user_reference: z.nullable(DeviceUserReference),
  person_name,
  group: z.nullable(GroupReference),
  is_late: z.boolean(),
  is_legacy: z.boolean(),
  /** Null in a payload, absent in a row of a list: not yet. */
  uploaded_at: z.optional(z.nullable(EpochSeconds)),
  processed_at: z.optional(z.nullable(EpochSeconds)),
  updated_at: EpochSeconds,
  failure: z.optional(z.enum(FAILURE_CODES)),
}

/** Written once, when the server opens the sealed metadata; absent before. */
const derived = {
  /** Seconds. */
  duration: z.optional(NonNegative),
  direction: z.optional(Direction),
  /** The first few second parties. */
  parties: z.optional(z.array(Party)),
  /** Total number. */
  party_count: z.optional(Count),
  timezone: z.optional(z.string()),
  timezone_offset: z.optional(z.int()),
  local_time: z.optional(z.string()),
  time_warnings: z.optional(z.array(z.enum(TIME_WARNINGS))),
  thread_id: z.optional(z.string()),
  /** Characters of a message. */
  length: z.optional(Count),
  /** Only in the response for one payload, which opens the sealed metadata. Lists omit both fields. */
  notes: z.optional(z.string()),
  reason_for_blocking: z.optional(z.string()),
}
/** Parties repeated in a list row. */
export const SUMMARY_PARTIES = 3
/** The immutable part of a list row, derived from the sealed metadata. */
export const PayloadDocument = z.strictObject(derived)
export type PayloadDocument = z.output<typeof PayloadDocument>

/** Optional fields of rows, by `include`. */
const extra = {
  /** The last receipt. */
  receipt_confirmed_at: z.optional(z.nullable(EpochSeconds)),
  receipt_confirmed_by: z.optional(z.nullable(z.string())),
  receipt_is_of_person: z.optional(z.boolean()),
  /** The last mark; absent: none, or the caller lacks the right. */
  mark: z.optional(Mark),
  heard: z.optional(z.enum(HEARD)),
  /** Whether it is on legal hold; absent: the caller lacks the right. */
  is_held: z.optional(z.boolean()),
}

/** A row of a payload list. */
export const PayloadSummary = z.strictObject({ ...announced, ...derived, ...extra })
export type PayloadSummary = z.output<typeof PayloadSummary>

/** Outcome of one confirmation; refusals are those of payload data. */
export const RECEIPT_STATUSES = ['Ok', 'NoMatchingRecord', 'GroupNotAuthorised', 'TypeNotAuthorised'] as const
export const Receipt = z.strictObject({
  /** The app, or the person who confirmed. */
  ...authors({ client_app_user: z.string() }),
  confirmed_at: EpochSeconds,
  /** Whether a person confirmed it. `required_receipts` of a retention policy count only apps. */
  is_person: z.boolean(),
})
export type Receipt = z.output<typeof Receipt>

export const receiptEndpoints = endpoints({
  confirmReceipts: {
    ...post(CLIENT_GROUPS, 'receipts'),
    action: 'receipts:confirm',
    summary: 'Confirm that a client app or person received payloads',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      receipts: z.array(
        z.strictObject({
          payload_reference: PayloadReference,
          status: z.enum(RECEIPT_STATUSES),
          /** First confirmation by this app or person. */
          confirmed_at: z.nullable(EpochSeconds),
        }),
      ),
    }),
  },
})

export const PayloadDataAnswer = z.strictObject({
  payload_reference: PayloadReference,
  status: z.enum(DATA_STATUSES),
  /** Valid for at most a minute and only for the caller. Absent unless the status is Ok. */
  s3_url: z.optional(z.string()),
  expires_at: z.optional(EpochSeconds),
  content_type: z.optional(z.string()),
  /** The address of the original, because the server is still creating the playable rendition. Request it again later. */
  being_prepared: z.optional(z.boolean()),
})
export type PayloadDataAnswer = z.output<typeof PayloadDataAnswer>

/** Characters of notes next to a thumbnail. */
export const CARD_NOTES = 200

/** A thumbnail in a list: a JPEG in Base64, absent where there is none or the status is not Ok. */
export const Thumbnail = z.strictObject({
  payload_reference: PayloadReference,
  status: z.enum(DATA_STATUSES),
  jpeg: z.optional(z.string()),
  /** The recorder's notes, at most `CARD_NOTES` characters. */
  notes: z.optional(z.string()),
  /** The server is still creating the thumbnail. Request it again later. */
  being_prepared: z.optional(z.boolean()),
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

/** Reasons for a missing or incomplete list of an archive. */
export const UNLISTED_REASONS = ['not_archive', 'damaged', 'too_many', 'too_large'] as const

/** Directory of an archive, such as a bundle of diagnostics. The server does not open its files. */
export const PayloadContents = z.strictObject({
  format: z.optional(z.enum(['zip', 'tar', 'tar.gz'])),
  entries: z.array(
    z.strictObject({
      /** Name in the archive, truncated if too long. */
      name: z.string(),
      /** Bytes according to the archive. */
      size: z.number(),
      is_folder: z.boolean(),
      is_encrypted: z.boolean(),
      modified_at: z.optional(EpochSeconds),
    }),
  ),
  /** Absent when everything is listed. */
  reason: z.optional(z.enum(UNLISTED_REASONS)),
})
export type PayloadContents = z.output<typeof PayloadContents>

/** Reasons why the browser cannot play data. */
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
  /** Average frames per second of the played data. */
  frame_rate: z.optional(z.number()),
  is_playable: z.boolean(),
  unplayable_reason: z.optional(z.enum(UNPLAYABLE_REASONS)),
  /** Source of playback: the original bytes of the device, or a rendition. */
  playback: z.optional(z.enum(['original', 'rendition'])),
  playback_content_type: z.optional(z.string()),
  has_peaks: z.boolean(),
  /** Metadata inside a photo's file, if any, for readers with the right. */
  in_file: z.optional(
    z.strictObject({
      location: z.optional(z.strictObject({ latitude: z.number(), longitude: z.number() })),
      /** Metres from the place that the device reported, if any. */
      metres_away: z.optional(z.int()),
      /** Whether the distance exceeds both inaccuracies. */
      contradicts_device: z.boolean(),
      /** Wall clock of the camera. */
      taken_at: z.optional(z.string()),
    }),
  ),
  /** The server is still creating the rendition or the waveform. The original is available for download. */
  being_prepared: z.boolean(),
})
export type PayloadMedia = z.output<typeof PayloadMedia>

const HoldingMatter = z.strictObject({ matter_id: z.string(), name: z.string() })

/** Expected due date of a payload by the account's policy, and the reasons that block it. */
export const RetentionDisposition = z.strictObject({
  /** Null: never, or in the past. */
  delete_at: z.nullable(EpochSeconds),
  destroy_at: z.nullable(EpochSeconds),
  /** Source of the next of these times: the policy or the legal minimum. */
  set_by: z.nullable(z.enum(['rule', 'minimum'])),
  /** Start of the period. */
  basis: z.enum(RETENTION_BASES),
  /** Reasons that block retention. A hold requires the right to see holds. */
  blocked_by: z.array(z.enum(RETENTION_BLOCKS)),
  /** Periods of the rule. Absent: it does not delete, or does not destroy. */
  delete_after_days: z.optional(Count),
  destroy_after_days: z.optional(Count),
  /** The law of the legal minimum, if that sets the time. */
  legal_basis: z.optional(z.string()),
  /** The holds that keep it, with their open matters. Requires the right to see holds. */
  held_by: z.optional(
    z.array(
      z.strictObject({
        target_type: z.enum(HOLD_TARGETS),
        target: z.string(),
        target_name,
        matters: z.array(HoldingMatter),
      }),
    ),
  ),
})
export type RetentionDisposition = z.output<typeof RetentionDisposition>

/** Supported malware scanners. */
export const SCANNERS = ['clamd', 'none'] as const

/** A payload. Unset fields of the specification are null; unset fields of Custodia are absent. */
export const Payload = z.strictObject({
  client: ClientReference,
  ...PayloadSummary.shape,
  device_ip: z.nullable(z.string()),
  key_id: z.nullable(z.string()),
  encrypted_dek: z.nullable(z.string()),
  iv: z.optional(z.string()),
  /** `s3://<bucket>/<key>`; the bucket is `local` where the objects are files of the data folder. */
  s3_path: z.nullable(z.string()),
  /** SHA-256 of the sealed bytes, as announced by the device and verified here. */
  checksum: z.nullable(Sha256),
  /** SHA-256 of the opened bytes. */
  decrypted_checksum: z.optional(Sha256),
  meta: z.nullable(z.record(z.string(), z.unknown())),
  media: z.optional(PayloadMedia),
  all_numbers: z.nullable(z.string()),
  second_party_numbers: z.nullable(z.string()),
  payload_end_time: z.optional(EpochSeconds),
  announced_at: EpochSeconds,
  uploaded_at: z.nullable(EpochSeconds),
  processed_at: z.nullable(EpochSeconds),
  /** The review state, for readers with the right. */
  review: z.optional(
    z.strictObject({
      mark: z.nullable(Mark),
      ...authors({ marked_by: z.nullable(z.string()) }),
      heard: z.enum(HEARD),
      own: z.enum(OWN),
      /** Parts that the caller has played, of calls, interviews and videos. */
      parts: z.optional(z.array(PlayedPart)),
      /** Length of the recording in seconds, where known. */
      length: z.optional(z.number()),
    }),
  ),
  /** Playback position of the caller in seconds. */
  playhead: z.optional(Count),
  /** Of a deleted payload: the state to which it can be restored. */
  state_before_deletion: z.optional(PayloadState),
  /** For a duplicate upload of a message: the first payload, if the caller may see it. */
  copy_of: z.optional(PayloadReference),
  /** Duplicate uploads, the newest hundred. */
  copies: z.optional(z.array(PayloadReference)),
  /** Null: it is kept permanently. */
  retention: z.optional(z.nullable(RetentionDisposition)),
  /** When it was last restored. */
  restored_at: z.optional(EpochSeconds),
  /** When a user wrote off its missing data, and which user. */
  written_off_at: z.optional(EpochSeconds),
  ...authors({ written_off_by: z.optional(z.string()) }),
  /** The scanner that checked the data; `none` on an installation without scanner. */
  scanner: z.optional(z.enum(SCANNERS)),
  legacy_payload_reference: z.nullable(z.string()),
  legacy_processed_time: z.nullable(EpochSeconds),
  transferred_at: z.nullable(EpochSeconds),
  receipt_confirmed_at: z.nullable(EpochSeconds),
  ...authors({ receipt_confirmed_by: z.nullable(z.string()) }),
  /** Whether a person confirmed it, not an app. */
  receipt_is_of_person: z.optional(z.boolean()),
  updated_by: z.nullable(z.string()),
})
export type Payload = z.output<typeof Payload>

/** Activities on a payload, newest first. */
export const PayloadAudit = z.strictObject({
  payload_reference: PayloadReference,
  records: z.array(
    z.strictObject({
      portal_user: z.string(),
      /** Display name of the person; null: unknown, or no person. */
      name: z.nullable(z.string()),
      action: z.string(),
      time: EpochSeconds,
      /** Of a mark: which ones, separated by spaces. Of a download: its export. */
      detail: z.nullable(z.string()),
    }),
  ),
  /** Who opened or heard it, the latest first. */
  listeners: z.array(Listener),
  /** Length of the recording in seconds, where known. */
  length: z.nullable(z.number()),
  receipts: z.array(Receipt),
})
export type PayloadAudit = z.output<typeof PayloadAudit>
