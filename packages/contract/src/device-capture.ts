import * as z from 'zod/mini'
import { ADMIN_GROUPS, endpoints, get, listOrder, ownerNames, getPage, pageQuery } from './endpoint.ts'
import { DEVICE_SERVICES, PayloadType } from './payload-types.ts'
import { KeyId, SignatureOfFile } from './retention-certificates.ts'
import {
  BATCH_LIMIT,
  ClientReference,
  Count,
  DateParameter,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  queryBoolean,
  Sha256,
  Ulid,
  uniqueList,
} from './scalars.ts'

/**
 * Why an enabled service of a person is not recorded, the most severe first: no device; no licence left; the device is
 * silent; it reports that the service is off, not permitted, that it is not the device administrator, or that there
 * is no SIM; or it reports but uploads nothing.
 */
export const GAP_REASONS = [
  'no_device',
  'unlicensed',
  'silent',
  'service_off',
  'not_allowed',
  'no_device_admin',
  'no_sim',
  'no_uploads',
] as const
export type GapReason = (typeof GAP_REASONS)[number]

/** A period in which an enabled service of a person was not recorded. */
export const CaptureGap = z.strictObject({
  client: ClientReference,
  gap_id: z.int(),
  device_user_reference: DeviceUserReference,
  /** The group that the person was in. */
  group: GroupReference,
  service: z.enum(DEVICE_SERVICES),
  /** In a folded list: all services of the row. */
  services: z.optional(z.array(z.enum(DEVICE_SERVICES))),
  reason: z.enum(GAP_REASONS),
  /** The device that does not record it; null: there is none. */
  device_reference: z.nullable(DeviceReference),
  from_at: EpochSeconds,
  /** Null: the gap is open. */
  to_at: z.nullable(EpochSeconds),
  ...ownerNames,
})
export type CaptureGap = z.output<typeof CaptureGap>

/** Days of `countCaptureGaps`. */
export const CAPTURE_DAYS = 30

/** Format of a statement. The signature covers the canonical JSON (RFC 8785) of `statement`. */
export const CAPTURE_STATEMENT_FORMAT = 'custodia.capture/1'
/** Gaps that a statement names; beyond it has only figures. */
export const SEQUENCE_GAP_LIMIT = 10_000
/** Statements that `listCaptureStatements` lists. */
export const STATEMENTS_LISTED = 92

/**
 * Why numbers are missing: the device was reset, as a command allowed; the app was installed anew; or they never arrived.
 */
export const SEQUENCE_GAP_REASONS = ['factory_reset', 'new_install', 'never_arrived'] as const
export type SequenceGapReason = (typeof SEQUENCE_GAP_REASONS)[number]

/** Numbers that an installation gave to recordings and that the archive does not have. */
const SequenceGap = z.strictObject({
  device_reference: DeviceReference,
  chain_id: z.string(),
  payload_type: PayloadType,
  from_seq: Count,
  to_seq: Count,
  reason: z.enum(SEQUENCE_GAP_REASONS),
  /** Times of the archived recordings before and after; null: there is none. */
  after_time: z.nullable(EpochSeconds),
  before_time: z.nullable(EpochSeconds),
})
export type SequenceGap = z.output<typeof SequenceGap>

/** `recorded` = `archived` + `queued` + `explained` + `missing`, of all devices that number their recordings. */
const figures = {
  /** Highest numbers of all installations and types. */
  recorded: Count,
  /** Arrived, also what retention has destroyed since. */
  archived: Count,
  /** Announced, and still on the device or being processed. */
  queued: Count,
  /** Lost with a reset device or a former installation. */
  explained: Count,
  missing: Count,
  /** Numbers that came twice, or whose recording does not continue the one before. */
  contradictory: Count,
}

const StatementHead = {
  statement_reference: Ulid,
  /** The day (UTC) at whose end the figures hold. */
  day: EpochSeconds,
  issued_at: EpochSeconds,
  ...figures,
}

export const CaptureStatement = z.strictObject({
  statement: z.strictObject({
    format: z.literal(CAPTURE_STATEMENT_FORMAT),
    client: ClientReference,
    ...StatementHead,
    gaps: z.array(SequenceGap),
    /** SHA-256 of the former statement; null: this is the first. */
    former_sha256: z.nullable(Sha256),
  }),
  signature: SignatureOfFile,
})
export type CaptureStatement = z.output<typeof CaptureStatement>

const StatementSummary = z.strictObject({
  ...StatementHead,
  key_id: KeyId,
  /** SHA-256 of the signed canonical JSON. */
  checksum: Sha256,
})
export type StatementSummary = z.output<typeof StatementSummary>

const narrowed = {
  services: z.optional(uniqueList(z.enum(DEVICE_SERVICES), 1, DEVICE_SERVICES.length)),
  reasons: z.optional(uniqueList(z.enum(GAP_REASONS), 1, GAP_REASONS.length)),
  /** Open or ended gaps. */
  is_open: z.optional(queryBoolean()),
  /** Gaps of one person and device with the same reason and times are one row. */
  is_folded: z.optional(queryBoolean()),
  /** Gaps that ended after this time or are open. */
  from: z.optional(DateParameter),
  /** Gaps that began before this time; a bare date means the midnight after it. */
  to: z.optional(DateParameter),
  /** By the begin of the gap. */
  order: listOrder,
}

const list = {
  method: 'GET',
  ...ADMIN_GROUPS,
  response: getPage(CaptureGap),
} as const

const statement = {
  ...ADMIN_GROUPS,
  action: 'capture_gaps:list',
  support: true,
} as const

export const captureEndpoints = endpoints({
  listCaptureStatements: {
    ...get(statement, 'capture_statements'),
    summary: 'List the daily statements on the completeness of devices, newest first',
    description: `The newest ${STATEMENTS_LISTED}. For people who see the capture gaps of all groups.`,
    response: z.strictObject({ data: z.array(StatementSummary) }),
    problems: ['not_permitted'],
  },
  readCaptureStatement: {
    ...get(statement, 'capture_statements/{statement_reference}'),
    summary: 'Show a signed statement on the completeness of devices, with its gaps',
    query: { with_names: z.optional(queryBoolean()) },
    response: z.strictObject({
      ...CaptureStatement.shape,
      /**
       * Only when asked for, because they are not signed, and `custodia-verify.mjs` verifies the rest as a file: names of
       * the devices with gaps that the caller may see, by device reference.
       */
      device_names: z.optional(z.record(DeviceReference, z.string())),
    }),
    problems: ['not_found', 'not_permitted'],
  },
  listCaptureGaps: {
    ...list,
    path: 'capture_gaps',
    action: 'capture_gaps:list',
    support: true,
    summary: 'List the capture gaps in the caller’s groups, newest or oldest first',
    query: {
      ...pageQuery,
      ...narrowed,
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      device_user_reference: z.optional(DeviceUserReference),
    },
  },
  countCaptureGaps: {
    method: 'GET',
    ...ADMIN_GROUPS,
    path: 'capture_gaps/days',
    action: 'capture_gaps:list',
    support: true,
    summary: 'Count the open capture gaps at the end of each of the last 30 days',
    response: z.strictObject({
      /** Oldest first; the last is today, so far. Days begin at midnight UTC. */
      days: z.array(z.strictObject({ day: EpochSeconds, open: Count })),
    }),
  },
  listCaptureGapsOfUser: {
    ...list,
    path: 'users/{device_user_reference}/capture_gaps',
    action: 'users.capture_gaps:list',
    support: true,
    summary: 'List the capture gaps of a device user, newest or oldest first',
    query: { ...pageQuery, ...narrowed },
    problems: ['not_found'],
  },
})
