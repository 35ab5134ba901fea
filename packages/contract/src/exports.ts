import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { DATA_STATUSES } from './payload-types.ts'
import { payloadFilters } from './payload-filters.ts'
import { AccessReason, Count, EpochSeconds, PayloadReference, queryInteger, Ulid } from './scalars.ts'

/** Recordings of one export at most. */
export const EXPORT_LIMIT = 10_000
/** Recordings of one part at most. */
export const EXPORT_PART_LIMIT = 500
/** Seconds for which an export can be fetched. */
export const EXPORT_SECONDS = 86_400

/** A part of an export: one file to fetch. */
const ExportPart = z.strictObject({
  /** Counted from 1. */
  part: Count,
  /** Recordings in it, those that are refused among them. */
  items: Count,
  /** Bytes of what could be had when the export was made. */
  size: z.number(),
  /** When it was asked for last. */
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
    portal: 'client',
    path: 'exports',
    authentication: 'portal',
    action: 'payloads:export',
    concerns: 'groups',
    summary:
      'Makes an export of the data of all payloads that match a filter, in parts that are fetched one by one',
    description: `Holds up to ${EXPORT_LIMIT} payloads, in the order of the list. It is a plan and no copy: each part is made when it is fetched, as its maker may have it then.`,
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
    portal: 'client',
    path: 'exports',
    authentication: 'portal',
    action: 'payloads:export',
    concerns: 'groups',
    summary: 'The exports that the caller made and that can still be fetched, newest first',
    response: z.strictObject({ data: z.array(DataExport) }),
  },
  readExportPart: {
    method: 'GET',
    portal: 'client',
    path: 'exports/{export_id}/parts/{part}',
    authentication: 'portal',
    action: 'payloads:export',
    concerns: 'groups',
    summary: 'An address for one part of an export, and the status of each payload in it',
    description:
      'A zip that holds one bag (BagIt, RFC 8493) with SHA-256, made while it is sent. Each payload in it needs payloads:download, is decided about when its turn comes, and is audited as a download; contents.csv says what became of each.',
    params: z.object({ export_id: Ulid, part: queryInteger(1, EXPORT_LIMIT) }),
    response: z.strictObject({
      data: z.array(z.strictObject({ payload_reference: PayloadReference, status: z.enum(DATA_STATUSES) })),
      /** Absent when there is nothing that the caller may have. */
      s3_url: z.optional(z.string()),
      expires_at: z.optional(EpochSeconds),
    }),
    problems: ['not_found', 'reason_required'],
  },
  deleteExport: {
    method: 'DELETE',
    portal: 'client',
    path: 'exports/{export_id}',
    authentication: 'portal',
    action: 'payloads:export',
    concerns: 'groups',
    summary: 'Ends an export of the caller: no part of it can be fetched any more',
    params: byExport,
    response: z.strictObject({ export_id: Ulid }),
    problems: ['not_found'],
  },
})
