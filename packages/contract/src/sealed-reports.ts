import * as z from 'zod/mini'
import { TimestampUuid } from './device-logs.ts'
import { Base64, EpochSeconds, Iv, text } from './scalars.ts'

/** Bytes of one report's JSON before it is sealed, at most: a phone with two thousand applications stays below. */
export const REPORT_SIZE_LIMIT = 512 * 1024
/** The same sealed, in base64 characters: with the tag of 16 bytes. */
export const SEALED_REPORT_LIMIT = 4 * Math.ceil((REPORT_SIZE_LIMIT + 16) / 3)
/** For the budget of its phone a report counts once for each so many characters, sealed, that it has begun. */
export const REPORT_PIECE = 8192
/** Bytes of one call that brings sealed reports. */
export const REPORTS_BODY_LIMIT = 4 * 1024 ** 2

/** What opens the reports of one call: made anew for each call, or for all of a day. */
export const reportKey = {
  key_id: text(1, 255),
  encrypted_dek: Base64(2048),
}

/** A report as its phone hands it over: what it is about is in `meta`, sealed (docs/envelope-format.md). */
export const sealedReport = { iv: Iv, meta: Base64(SEALED_REPORT_LIMIT) }

/** What makes a repetition known for one: made once, from the time and a UUID. */
export const ReportId = TimestampUuid
export const ReportTime = EpochSeconds

/** What became of a report: stored now or before; another one was stored under its id and time before; or it cannot be read, and why. */
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
  /** The first field that is not as it should be, where one is. */
  path: z.optional(z.string()),
}
export type ReportOutcome = {
  status: (typeof REPORT_STATUSES)[number]
  reason?: ReportFailure
  path?: string
}
