import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints } from './endpoint.ts'
import { DATA_STATUSES } from './payload-types.ts'
import { payloadFilters } from './payloads.ts'
import { AccessReason, Count, EpochSeconds, PayloadReference, queryInteger, Ulid } from './scalars.ts'

/** Maximum recordings of one export. */
export const EXPORT_LIMIT = 10_000
/** Maximum recordings of one part. */
export const EXPORT_PART_LIMIT = 500
/** Seconds for which an export can be fetched. */
export const EXPORT_SECONDS = 86_400

/** A part of an export: one file to fetch. */
const ExportPart = z.strictObject({
  /** Counted from 1. */
  part: Count,
  /** Recordings in it, including refused ones. */
  items: Count,
  /** Bytes of the available data when the export was created. */
  size: z.number(),
  /** Time of the last request. */
  fetched_at: z.nullable(EpochSeconds),
})
export const DataExport = z.strictObject({
  export_id: Ulid,
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  items: Count,
  /** Payloads without available data when it was created; each part lists its own. */
  refused: Count,
  /** Whether the filter matched more than an export holds. */
  is_cut: z.boolean(),
  parts: z.array(ExportPart),
})
export type DataExport = z.output<typeof DataExport>

const byExport = z.object({ export_id: Ulid })

export const exportEndpoints = endpoints({
  createExport: {
    method: 'POST',
    ...CLIENT_GROUPS,
    path: 'exports',
    action: 'payloads:export',
    summary: 'Create an export of all payloads that match a filter',
    description: `Holds up to ${EXPORT_LIMIT} payloads, in the order of the list. The server creates each part on download, with the creator’s rights at that time.`,
    query: payloadFilters,
    body: z.strictObject({
      /** Maximum megabytes (1,048,576 bytes) of a part; a larger file is its own part. */
      part_megabytes: z._default(z.int().check(z.gte(1), z.lte(4096)), 1024),
      reason: z.optional(AccessReason),
    }),
    response: DataExport,
    problems: ['reason_required'],
  },
  listExports: {
    method: 'GET',
    ...CLIENT_GROUPS,
    path: 'exports',
    action: 'payloads:export',
    summary: 'List the available exports of the caller, newest first',
    response: z.strictObject({ data: z.array(DataExport) }),
  },
  readExportPart: {
    method: 'GET',
    ...CLIENT_GROUPS,
    path: 'exports/{export_id}/parts/{part}',
    action: 'payloads:export',
    summary: 'Get a download address for one part of an export',
    description:
      'A streamed zip with one bag (BagIt, RFC 8493) and SHA-256. Each payload requires payloads:download and is audited as a download; contents.csv lists the outcomes.',
    params: z.object({ export_id: Ulid, part: queryInteger(1, EXPORT_LIMIT) }),
    response: z.strictObject({
      data: z.array(z.strictObject({ payload_reference: PayloadReference, status: z.enum(DATA_STATUSES) })),
      /** Absent if no data is available to the caller. */
      s3_url: z.optional(z.string()),
      expires_at: z.optional(EpochSeconds),
    }),
    problems: ['not_found', 'reason_required'],
  },
  deleteExport: {
    method: 'DELETE',
    ...CLIENT_GROUPS,
    path: 'exports/{export_id}',
    action: 'payloads:export',
    summary: 'Delete an export of the caller',
    params: byExport,
    response: z.strictObject({ export_id: Ulid }),
    problems: ['not_found'],
  },
})
