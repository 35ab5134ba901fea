import * as z from 'zod/mini'
import {
  listOrder,
  CLIENT_GROUPS,
  dateRange,
  DEVICE,
  endpoints,
  ownerNames,
  getPage,
  pageQuery,
  post,
  recordFilters,
} from './endpoint.ts'
import {
  Base64,
  BATCH_LIMIT,
  ClientReference,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  Iv,
  PayloadReference,
  prose,
  text,
  uniqueList,
} from './scalars.ts'

/** Levels of a device log (spec section 4). */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Longest message of a log; a device cuts longer ones. */
export const LOG_MESSAGE_LIMIT = 4000
/** Maximum bytes of one upload of logs. */
export const LOG_BODY_LIMIT = 1536 * 1024

/** Idempotency key that the device makes of time and UUID (spec section 3: timestamp-UUID at least 32). */
export const TimestampUuid = text(32, 100, [/^[A-Za-z0-9_-]+$/, 'reference'])

const stated = {
  log_id: TimestampUuid,
  /** The part of the app that logs. */
  log_class: text(1, 255),
  log_level: z.enum(LOG_LEVELS),
  log_datetime: EpochSeconds,
  /** IANA zone of the device at that moment. */
  local_timezone: text(1, 64),
  log_message: prose(1, LOG_MESSAGE_LIMIT),
}

/** A log as the device uploads it. */
export const LogEntry = z.strictObject({
  ...stated,
  /** The payload that it is about. */
  payload_reference: z.optional(z.nullable(PayloadReference)),
})
export type LogEntry = z.output<typeof LogEntry>

/** Outcome of a log: stored now or before, or its id belongs to another log. */
export const LOG_STATUSES = ['stored', 'conflict'] as const

/** A log of a device as the portal shows it. */
export const DeviceLog = z.strictObject({
  client: ClientReference,
  ...stated,
  payload_reference: z.nullable(z.string()),
  device_reference: DeviceReference,
  /** Who held the device at that time, and the group that it was in. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
  received_at: EpochSeconds,
  ...ownerNames,
})
export type DeviceLog = z.output<typeof DeviceLog>

const narrowed = {
  /** In the message, without regard to case. */
  search: z.optional(text(1, 255)),
  levels: z.optional(uniqueList(z.enum(LOG_LEVELS), 1, LOG_LEVELS.length)),
  log_class: z.optional(text(1, 255)),
  payload_reference: z.optional(PayloadReference),
  /** By `log_datetime`, as the order. */
  ...dateRange,
  order: listOrder,
}

const list = {
  method: 'GET',
  ...CLIENT_GROUPS,
  response: getPage(DeviceLog),
} as const

export const deviceLogEndpoints = endpoints({
  listDeviceLogs: {
    ...list,
    path: 'device_logs',
    action: 'device_logs:list',
    support: true,
    summary: 'List the logs of devices in the caller’s groups, newest or oldest first',
    query: { ...pageQuery, ...narrowed, ...recordFilters },
  },
  listLogsOfDevice: {
    ...list,
    path: 'devices/{device_reference}/logs',
    action: 'devices.logs:list',
    support: true,
    summary: 'List the logs of a device, newest or oldest first',
    query: { ...pageQuery, ...narrowed },
    problems: ['not_found'],
  },
  listLogsOfUser: {
    ...list,
    path: 'users/{device_user_reference}/logs',
    action: 'users.logs:list',
    support: true,
    summary: 'List the logs of the devices of a device user',
    query: { ...pageQuery, ...narrowed },
    problems: ['not_found'],
  },
})

/** Severities of alerts from a device. */
const SEVERITIES = ['Low', 'Medium', 'High'] as const

/** Calls of the device: its logs, and its alerts. */
export const logUploadEndpoints = endpoints({
  uploadLogs: {
    ...post(DEVICE, 'logs'),
    summary: 'Receive up to 100 log entries of a device, without duplicates',
    body: z.strictObject({
      logs: z.array(LogEntry).check(
        z.minLength(1),
        z.maxLength(BATCH_LIMIT),
        z.refine((items) => new Set(items.map((each) => each.log_id)).size === items.length, {
          error: 'not_unique',
        }),
      ),
    }),
    bodyLimit: LOG_BODY_LIMIT,
    response: z.strictObject({
      logs: z.array(z.strictObject({ log_id: TimestampUuid, status: z.enum(LOG_STATUSES) })),
    }),
  },
  reportAlert: {
    ...post(DEVICE, 'alerts'),
    summary: 'Report an event from a device that needs attention',
    body: z.strictObject({
      subject: text(1, 255),
      message: prose(1, 1000),
      severity: z.enum(SEVERITIES),
      /** Idempotency key. Without it, equal texts within an hour count as one alert. */
      alert_id: z.optional(TimestampUuid),
    }),
    response: z.strictObject({}),
  },
})

/** Maximum bytes of a report's JSON before sealing: enough for a device with two thousand applications. */
export const REPORT_SIZE_LIMIT = 512 * 1024
/** The same sealed, in base64 characters: with the tag of 16 bytes. */
export const SEALED_REPORT_LIMIT = 4 * Math.ceil((REPORT_SIZE_LIMIT + 16) / 3)
/** Sealed characters per unit of the device's budget; a started unit counts. */
export const REPORT_PIECE = 8192
/** Maximum bytes of one upload of sealed reports. */
export const REPORTS_BODY_LIMIT = 4 * 1024 ** 2

/** Wrapped data key of the reports of one call; the device makes it per call or per day. */
export const reportKey = { key_id: text(1, 255), encrypted_dek: Base64(2048) }

/** A report as the device uploads it; `meta` contains its sealed content (docs/envelope-format.md). */
export const sealedReport = { iv: Iv, meta: Base64(SEALED_REPORT_LIMIT) }

/** Outcome of a report: stored now or before; its id and time belong to another report; or unreadable, with the reason. */
export const REPORT_STATUSES = ['stored', 'conflict', 'failed'] as const
export const REPORT_FAILURES = [
  'undecryptable_key',
  'undecryptable_meta',
  'malformed_meta',
  'meta_mismatch',
] as const
export type ReportFailure = (typeof REPORT_FAILURES)[number]

/** The result that a device gets for each of its reports. */
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
