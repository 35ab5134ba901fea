import * as z from 'zod/mini'

// Spelled as in spec section 4.
export const PAYLOAD_TYPES = [
  'AbortedCall',
  'BlockedCall',
  'Call',
  'Diagnostics',
  'Interview',
  'Photo',
  'MMS',
  'RCS',
  'SMS',
  'Video',
] as const
export type PayloadType = (typeof PAYLOAD_TYPES)[number]
export const PayloadType = z.enum(PAYLOAD_TYPES)

export const CALL_TYPES = ['Call', 'AbortedCall', 'BlockedCall'] as const satisfies PayloadType[]
export const MESSAGE_TYPES = ['MMS', 'RCS', 'SMS'] as const satisfies PayloadType[]
export const TRANSFERABLE_TYPES = [
  'Call',
  'Interview',
  'Photo',
  'MMS',
  'RCS',
  'SMS',
  'Video',
] as const satisfies PayloadType[]
/** Metadata only: the device has nothing to upload. */
export const DATALESS_TYPES = ['AbortedCall', 'BlockedCall'] as const satisfies PayloadType[]
/** Whether payloads of a type are metadata alone. */
export const isDataless = (type: PayloadType): boolean =>
  (DATALESS_TYPES as readonly PayloadType[]).includes(type)

/** The screens of the portal and the payload types that each shows (spec section 2). */
export const SERVICE_TYPES = {
  calls: CALL_TYPES,
  messages: MESSAGE_TYPES,
  interviews: ['Interview'],
  photos: ['Photo'],
  videos: ['Video'],
  diagnostics: ['Diagnostics'],
} as const satisfies Record<string, readonly PayloadType[]>
export type Service = keyof typeof SERVICE_TYPES
export const SERVICES = Object.keys(SERVICE_TYPES) as [Service, ...Service[]]
export const Service = z.enum(SERVICES)

/** Services with playable recordings: playback position and played parts are kept. */
export const PLAYED_SERVICES = ['calls', 'interviews', 'videos'] as const satisfies Service[]

export const PAYLOAD_STATES = [
  'NotRecorded',
  'Recorded',
  'Uploaded',
  'Processed',
  'Transferred',
  'Deleted',
  'Destroyed',
  'Failed',
  'Scanning',
  'Quarantined',
] as const
export type PayloadState = (typeof PAYLOAD_STATES)[number]
export const PayloadState = z.enum(PAYLOAD_STATES)

/** A payload's state as a device sees it (spec section 4). */
export const DEVICE_PAYLOAD_STATES = ['pending', 'processed', 'failed', 'not_found'] as const
export type DevicePayloadState = (typeof DEVICE_PAYLOAD_STATES)[number]

export const DATA_STATUSES = [
  'Ok',
  'NoS3Url',
  'NoMatchingRecord',
  'GroupNotAuthorised',
  'TypeNotAuthorised',
] as const
export type DataStatus = (typeof DATA_STATUSES)[number]

export const DEVICE_SERVICES = [
  'calls',
  'interviews',
  'gps',
  'photos',
  'mms',
  'rcs',
  'sms',
  'videos',
] as const
export type DeviceService = (typeof DEVICE_SERVICES)[number]

/** Seconds after the end of a recording from which on its upload counts as late (spec section 9). */
export const LATE_AFTER_SECONDS = 7 * 86_400

/** Maximum seconds that the times of a device can be ahead of the server before they are implausible. */
export const AHEAD_SECONDS = 86_400

/** Implausible times of a recording. They stay as evidence, and the portal shows them with a warning. */
export const TIME_WARNINGS = ['timezone', 'local_time', 'payload_end_time'] as const
export type TimeWarning = (typeof TIME_WARNINGS)[number]

/** Reasons for a failed or quarantined payload; failures.ts has their phrases. */
export const FAILURE_CODES = [
  'wrong_checksum',
  'wrong_size',
  'undecryptable_key',
  'undecryptable_meta',
  'tampered_data',
  'truncated_data',
  'malformed_meta',
  'meta_mismatch',
  'malformed_message',
  'processing_crashed',
  'malware_found',
  'scan_limit_exceeded',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** Failures of a recording that is not as its device sealed it. */
export const ALTERED_FAILURES = [
  'tampered_data',
  'truncated_data',
  'undecryptable_meta',
  'meta_mismatch',
] as const satisfies readonly FailureCode[]

export const QUARANTINE_FAILURES = [
  'malware_found',
  'scan_limit_exceeded',
] as const satisfies readonly FailureCode[]

export const MARKS = ['reviewed', 'flagged', 'escalated'] as const
export const Mark = z.enum(MARKS)
export type Mark = z.output<typeof Mark>

/** Who opened a recording, from the reader's point of view. */
export const HEARD = ['me', 'others', 'none'] as const
export type HeardBy = (typeof HEARD)[number]

/** Whether a recording is the reader's own: reviewers cannot mark their own recordings. */
export const OWN = ['own', 'not_own', 'unknown'] as const
export type Ownership = (typeof OWN)[number]

/** The service whose screen shows a payload type. */
export function getService(type: PayloadType): Service {
  for (const [service, types] of Object.entries(SERVICE_TYPES)) {
    if ((types as readonly PayloadType[]).includes(type)) return service as Service
  }
  throw new Error(`no service shows ${type}`)
}

/** Start of the retention period of a payload (spec section 4). */
export const RETENTION_BASES = [
  'payload_time',
  'processed_at',
  'transferred_at',
  'receipt_confirmed_at',
] as const
export type RetentionBasis = (typeof RETENTION_BASES)[number]

/** Reasons that block deletion and destruction, whether they are due or not. */
export const RETENTION_BLOCKS = [
  'under_way',
  'not_written_off',
  'basis_missing',
  'receipts_missing',
  'transfers_missing',
  'sign_off_missing',
  'held',
] as const
export type RetentionBlock = (typeof RETENTION_BLOCKS)[number]

/** Whether any of these types belongs to a service. */
export const seesService = (types: readonly PayloadType[], service: Service): boolean =>
  types.some((type) => getService(type) === service)
