import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints, get } from './endpoint.ts'
import { ReviewWeek } from './marks.ts'
import { PayloadType } from './payload-types.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import { ClientReference, Count, DateParameter, EpochSeconds, GroupReference } from './scalars.ts'

/** Format of a report. The signature covers the canonical JSON (RFC 8785) of `report`. */
export const REVIEW_REPORT_FORMAT = 'custodia.reviews/1'

/** The review coverage that one reader sees, signed: a file to keep. */
export const ReviewReport = z.strictObject({
  report: z.strictObject({
    format: z.literal(REVIEW_REPORT_FORMAT),
    client: ClientReference,
    issued_at: EpochSeconds,
    /** The rights of this person limit what is counted. */
    reader: z.string(),
    /** What was counted: the groups that the reader can see, and of which types. */
    groups: z.array(z.strictObject({ group: GroupReference, payload_types: z.array(PayloadType) })),
    /** The period in whole days (UTC); without dates, from the first week with a count until the report. */
    from: EpochSeconds,
    to: EpochSeconds,
    weeks: z.array(ReviewWeek),
    /** Older weeks are left out. */
    is_cut: z.boolean(),
    /** Sums of the weeks. */
    heard: Count,
    reviewed: Count,
    flagged: Count,
    escalated: Count,
  }),
  signature: SignatureOfFile,
})
export type ReviewReport = z.output<typeof ReviewReport>

export const reviewReportEndpoints = endpoints({
  readReviewReport: {
    ...get(CLIENT_GROUPS, 'reviews/report'),
    action: 'reviews:list',
    support: true,
    summary: 'Sign a report of the review coverage that the caller sees',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    query: { from: z.optional(DateParameter), to: z.optional(DateParameter) },
    response: ReviewReport,
  },
})
