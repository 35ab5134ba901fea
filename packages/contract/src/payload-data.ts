import * as z from 'zod/mini'
import { DATA_STATUSES } from './payload-types.ts'
import { EpochSeconds, PayloadReference } from './scalars.ts'

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
