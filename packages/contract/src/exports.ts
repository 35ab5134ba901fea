import * as z from 'zod/mini'
import { CLIENT_GROUPS, del, endpoints, get, post } from './endpoint.ts'
import { DATA_STATUSES } from './payload-types.ts'
import { payloadFilters, Words } from './payloads.ts'
import { LOCALES } from './phrases.ts'
import {
  AccessReason,
  BATCH_LIMIT,
  Count,
  EpochSeconds,
  FILTER_LIMIT,
  PayloadReference,
  queryInteger,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** Maximum recordings of one export. */
export const EXPORT_LIMIT = FILTER_LIMIT
/** Maximum recordings of one part. */
export const EXPORT_PART_LIMIT = 500
/** Seconds for which an export can be fetched. */
export const EXPORT_SECONDS = 86_400
/** Maximum exports of one person that can be fetched. */
export const OPEN_EXPORTS = 50

/**
 * What an export contains: the device's files; copies that browsers and players can play; the table and the JSON file of
 * metadata; the report in plain words, which prints; the evidence: audit trail, custody, proofs of the sealed log, a
 * viewer, a load file and certificates to sign.
 */
export const EXPORT_CONTENTS = ['originals', 'playable', 'csv', 'json', 'report', 'evidence'] as const
export type ExportContent = (typeof EXPORT_CONTENTS)[number]
const Contents = uniqueList(z.enum(EXPORT_CONTENTS), 1, EXPORT_CONTENTS.length)

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
  /** Recordings that the latest download has sent, and when it was complete. */
  sent: Count,
  finished_at: z.nullable(EpochSeconds),
})
export const DataExport = z.strictObject({
  export_id: Ulid,
  created_at: EpochSeconds,
  expires_at: EpochSeconds,
  contents: z.array(z.enum(EXPORT_CONTENTS)),
  items: Count,
  /** Payloads without available data when it was created; each part lists its own. */
  refused: Count,
  /** Whether the filter matched more than an export holds. */
  is_cut: z.boolean(),
  parts: z.array(ExportPart),
})
export type DataExport = z.output<typeof DataExport>

export const exportEndpoints = endpoints({
  createExport: {
    ...post(CLIENT_GROUPS, 'exports'),
    action: 'payloads:export',
    matters: true,
    summary: 'Create an export of a selection, a filter or a search',
    description: `Holds up to ${EXPORT_LIMIT} payloads, in the order of the list: those that match the query (with words: of a content search), or only those of a selection. The server creates each part on download, with the creator’s rights at that time. A person has up to ${OPEN_EXPORTS} exports at a time.`,
    query: payloadFilters,
    body: z.strictObject({
      /** Maximum megabytes (1,048,576 bytes) of a part; a larger file is its own part. */
      part_megabytes: z._default(z.int().check(z.gte(1), z.lte(4096)), 1024),
      reason: z.optional(AccessReason),
      /** With `originals`, `playable`, or both. */
      contents: z._default(
        Contents.check(
          z.refine((chosen) => chosen.some((each) => each === 'originals' || each === 'playable'), {
            error: 'no_files',
          }),
        ),
        ['originals', 'csv', 'report'],
      ),
      /** Only these, whatever the query says. */
      payload_references: z.optional(uniqueList(PayloadReference, 1, BATCH_LIMIT)),
      /** Only those of the people in this legal matter. Requires account.legal_matters:read. */
      matter_id: z.optional(Ulid),
      /** Only those with these words, as in `searchPayloads`. */
      words: z.optional(Words),
      /** Language of the report in each part. */
      locale: z._default(z.enum(LOCALES), LOCALES[0]),
    }),
    response: DataExport,
    problems: ['reason_required', 'content_search_off', 'not_found'],
    secrets: ['words'],
  },
  listExports: {
    ...get(CLIENT_GROUPS, 'exports'),
    action: 'payloads.exports:list',
    matters: true,
    summary: 'List the available exports of the caller, newest first',
    response: z.strictObject({ data: z.array(DataExport) }),
  },
  readExportPart: {
    ...get(CLIENT_GROUPS, 'exports/{export_id}/parts/{part}'),
    action: 'payloads:export',
    matters: true,
    summary: 'Get a download address for one part of an export',
    description:
      'A streamed zip with one bag (BagIt, RFC 8493) and SHA-256. Each payload requires payloads:download and is audited as a download; contents.csv lists the outcomes, and report.html, if chosen, says the same in plain words. The last manifest is signed: Ed25519 (`.sig`) and CMS (`.p7s`, under `signer.pem`). The download ends when the export is deleted.',
    params: { part: queryInteger(1, EXPORT_LIMIT) },
    response: z.strictObject({
      data: z.array(z.strictObject({ payload_reference: PayloadReference, status: z.enum(DATA_STATUSES) })),
      /** Absent if no data is available to the caller. */
      s3_url: z.optional(z.string()),
      expires_at: z.optional(EpochSeconds),
    }),
    problems: ['not_found', 'reason_required'],
  },
  deleteExport: {
    ...del(CLIENT_GROUPS, 'exports/{export_id}'),
    action: 'payloads.exports:delete',
    matters: true,
    summary: 'Delete an export of the caller',
    response: z.strictObject({ export_id: Ulid }),
    problems: ['not_found'],
  },
})
