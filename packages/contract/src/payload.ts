import * as z from 'zod/mini'
import { PayloadSummary } from './payload-summary.ts'
import { HEARD, Mark, OWN, PayloadState, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import { Receipt } from './receipts.ts'
import { ClientReference, Count, EpochSeconds, PayloadReference, Sha256 } from './scalars.ts'

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
      contradicts_phone: z.boolean(),
      /** Wall clock of the camera. */
      taken_at: z.optional(z.string()),
    }),
  ),
  /** The server is still creating the rendition or the waveform. The original is available for download. */
  being_prepared: z.boolean(),
})
export type PayloadMedia = z.output<typeof PayloadMedia>

/** Expected due date of a payload by the account's policy, and the reasons that block it. */
export const RetentionFate = z.strictObject({
  /** Null: never, or in the past. */
  delete_at: z.nullable(EpochSeconds),
  destroy_at: z.nullable(EpochSeconds),
  /** Source of the next of these times: the policy or the legal minimum. */
  set_by: z.nullable(z.enum(['rule', 'minimum'])),
  /** Start of the period. */
  basis: z.enum(RETENTION_BASES),
  /** Reasons that block retention. A hold requires the right to see holds. */
  blocked_by: z.array(z.enum(RETENTION_BLOCKS)),
})
export type RetentionFate = z.output<typeof RetentionFate>

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
  /** SHA-256 of the sealed bytes, as announced by the phone and verified here. */
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
      marked_by: z.nullable(z.string()),
      heard: z.enum(HEARD),
      own: z.enum(OWN),
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
  retention: z.optional(z.nullable(RetentionFate)),
  /** When it was last restored. */
  restored_at: z.optional(EpochSeconds),
  /** When a user wrote off its missing data, and which user. */
  abandoned_at: z.optional(EpochSeconds),
  abandoned_by: z.optional(z.string()),
  /** The scanner that checked the data; `none` on an installation without scanner. */
  scanner: z.optional(z.enum(SCANNERS)),
  legacy_payload_reference: z.nullable(z.string()),
  legacy_processed_time: z.nullable(EpochSeconds),
  transferred_at: z.nullable(EpochSeconds),
  receipt_confirmed_at: z.nullable(EpochSeconds),
  receipt_confirmed_by: z.nullable(z.string()),
  /** Whether a person confirmed it, not an app. */
  receipt_is_of_person: z.optional(z.boolean()),
  updated_by: z.nullable(z.string()),
})
export type Payload = z.output<typeof Payload>

/** Activities on a payload, newest first. */
export const PayloadAudit = z.strictObject({
  payload_reference: PayloadReference,
  records: z.array(z.strictObject({ portal_user: z.string(), action: z.string(), time: EpochSeconds })),
  receipts: z.array(Receipt),
})
