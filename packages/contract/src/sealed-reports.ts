import * as z from 'zod/mini'
import { TimestampUuid } from './device-logs.ts'
import { Base64, EpochSeconds, Iv, text } from './scalars.ts'

/** Maximum bytes of a report's JSON before sealing: enough for a device with two thousand applications. */
export const REPORT_SIZE_LIMIT = 512 * 1024
/** The same sealed, in base64 characters: with the tag of 16 bytes. */
export const SEALED_REPORT_LIMIT = 4 * Math.ceil((REPORT_SIZE_LIMIT + 16) / 3)
/** Sealed characters per unit of the device's budget; a started unit counts. */
export const REPORT_PIECE = 8192
/** Maximum bytes of one upload of sealed reports. */
export const REPORTS_BODY_LIMIT = 4 * 1024 ** 2

/** Wrapped data key of the reports of one call; the device makes it per call or per day. */
export const reportKey = {
  key_id: text(1, 255),
  encrypted_dek: Base64(2048),
}

/** A report as the device uploads it; `meta` contains its sealed content (docs/envelope-format.md). */
export const sealedReport = { iv: Iv, meta: Base64(SEALED_REPORT_LIMIT) }

/** Idempotency key that the device makes once, from the time and a UUID. */
export const ReportId = TimestampUuid
export const ReportTime = EpochSeconds

/** Outcome of a report: stored now or before; its id and time belong to another report; or unreadable, with the reason. */
export const REPORT_STATUSES = ['stored', 'conflict', 'failed'] as const
export const REPORT_FAILURES = [
  'undecryptable_key',
  'undecryptable_meta',
  'malformed_meta',
  'meta_mismatch',
] as const
export type ReportFailure = (typeof REPORT_FAILURES)[number]

/** The result that a phone gets for each of its reports. */
export const reportOutcome = {
  status: z.enum(REPORT_STATUSES),
  reason: z.optional(z.enum(REPORT_FAILURES)),
  /** The first invalid field, if any. */
  path: z.optional(z.string()),
}
export type ReportOutcome = {
  status: (typeof REPORT_STATUSES)[number]
  reason?: ReportFailure
  path?: string
}
