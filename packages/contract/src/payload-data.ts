import * as z from 'zod/mini'
import { DATA_STATUSES } from './payload-types.ts'
import { EpochSeconds, PayloadReference } from './scalars.ts'

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

/** Why what is in an archive is not listed, or not to its end. */
export const UNLISTED_REASONS = ['not_archive', 'damaged', 'too_many', 'too_large'] as const

/** What an archive, such as a bundle of diagnostics, says that is in it. Nothing in it was opened. */
export const PayloadContents = z.strictObject({
  format: z.optional(z.enum(['zip', 'tar', 'tar.gz'])),
  entries: z.array(
    z.strictObject({
      /** As the archive spells it; cut where it is absurdly long. */
      name: z.string(),
      /** Bytes, as the archive says. */
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
