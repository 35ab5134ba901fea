import * as z from 'zod/mini'
import { PayloadSummary } from './payload-summary.ts'
import { HEARD, Mark, OWN, PayloadState, RETENTION_BASES, RETENTION_BLOCKS } from './payload-types.ts'
import { Receipt } from './receipts.ts'
import { ClientReference, Count, EpochSeconds, PayloadReference, Sha256 } from './scalars.ts'

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
  /** Frames in a second of what is played, on average. */
  frame_rate: z.optional(z.number()),
  is_playable: z.boolean(),
  unplayable_reason: z.optional(z.enum(UNPLAYABLE_REASONS)),
  /** What is played: the phone's own bytes, or a rendition derived from them. */
  playback: z.optional(z.enum(['original', 'rendition'])),
  playback_content_type: z.optional(z.string()),
  has_peaks: z.boolean(),
  /** Metadata inside a photo's file, if any, for readers with the right. */
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

/** When a payload is due by the account's policy, as far as is known now, and what keeps it nevertheless. */
export const RetentionFate = z.strictObject({
  /** Null: never, or it was. */
  delete_at: z.nullable(EpochSeconds),
  destroy_at: z.nullable(EpochSeconds),
  /** What sets the next of these times: the policy, or what the law asks for. */
  set_by: z.nullable(z.enum(['rule', 'minimum'])),
  /** From when the policy counts. */
  basis: z.enum(RETENTION_BASES),
  /** Reasons that block retention. Only readers who may know of holds see a hold. */
  blocked_by: z.array(z.enum(RETENTION_BLOCKS)),
})
export type RetentionFate = z.output<typeof RetentionFate>

/** Malware scanners that an installation may have. */
export const SCANNERS = ['clamd', 'none'] as const

/** What is known of a payload. Fields of the specification that are unset are null; our own are absent. */
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
  /** Where the caller stopped in it, in seconds of played time. */
  playhead: z.optional(Count),
  /** Of a deleted payload: the state to which it can be restored. */
  state_before_deletion: z.optional(PayloadState),
  /** Of a message that its phone brought again: the first, where the caller may see that. */
  copy_of: z.optional(PayloadReference),
  /** Duplicate uploads, the newest hundred. */
  copies: z.optional(z.array(PayloadReference)),
  /** Null: nothing makes it due, it is kept for good. */
  retention: z.optional(z.nullable(RetentionFate)),
  /** When it was last restored. */
  restored_at: z.optional(EpochSeconds),
  /** When a user wrote off its missing data, and which user. */
  abandoned_at: z.optional(EpochSeconds),
  abandoned_by: z.optional(z.string()),
  /** What looked for malware before the data was released; `none` on an installation without scanner. */
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

/** What was done with a payload, newest first. */
export const PayloadAudit = z.strictObject({
  payload_reference: PayloadReference,
  records: z.array(z.strictObject({ portal_user: z.string(), action: z.string(), time: EpochSeconds })),
  receipts: z.array(Receipt),
})
