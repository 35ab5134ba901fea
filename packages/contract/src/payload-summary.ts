import * as z from 'zod/mini'
import { Direction } from './payload-meta.ts'
import { TIME_WARNINGS, FAILURE_CODES, HEARD, Mark, PayloadState, PayloadType } from './payload-types.ts'
import {
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  NonNegative,
  PayloadReference,
} from './scalars.ts'

/** A party as shown in lists. */
export const Party = z.strictObject({
  phone_number: z.nullable(z.string()),
  contact_name: z.optional(z.nullable(z.string())),
  direction: z.optional(Direction),
})
export type Party = z.output<typeof Party>

/** Fields known from the moment of the announcement. */
const announced = {
  payload_reference: PayloadReference,
  payload_type: PayloadType,
  payload_state: PayloadState,
  /** As the device reported it. */
  payload_time: EpochSeconds,
  /** Time of the announcement. Lists use it if the times of the device are more than a day ahead. */
  listed_at: z.optional(EpochSeconds),
  device_reference: DeviceReference,
  device_user_reference: z.nullable(DeviceUserReference),
  group: z.nullable(GroupReference),
  is_late: z.boolean(),
  is_legacy: z.boolean(),
  /** Null in a payload, absent in a row of a list: not yet. */
  uploaded_at: z.optional(z.nullable(EpochSeconds)),
  processed_at: z.optional(z.nullable(EpochSeconds)),
  updated_at: EpochSeconds,
  failure: z.optional(z.enum(FAILURE_CODES)),
}

/** Written once, when the server opens the sealed metadata; absent before. */
const derived = {
  /** Seconds. */
  duration: z.optional(NonNegative),
  direction: z.optional(Direction),
  /** The first few second parties. */
  parties: z.optional(z.array(Party)),
  /** Total number. */
  party_count: z.optional(Count),
  timezone: z.optional(z.string()),
  timezone_offset: z.optional(z.int()),
  local_time: z.optional(z.string()),
  /** Implausible times. */
  time_warnings: z.optional(z.array(z.enum(TIME_WARNINGS))),
  thread_id: z.optional(z.string()),
  /** Characters of a message. */
  length: z.optional(Count),
  /** Only in the response for one payload, which opens the sealed metadata. Lists omit both fields. */
  notes: z.optional(z.string()),
  reason_for_blocking: z.optional(z.string()),
}
/** Parties repeated in a list row. */
export const SUMMARY_PARTIES = 3
/** The immutable part of a list row, derived from the sealed metadata. */
export const PayloadDocument = z.strictObject(derived)
export type PayloadDocument = z.output<typeof PayloadDocument>

/** Optional fields of rows, by `include`. */
const extra = {
  /** The last receipt. */
  receipt_confirmed_at: z.optional(z.nullable(EpochSeconds)),
  receipt_confirmed_by: z.optional(z.nullable(z.string())),
  receipt_is_of_person: z.optional(z.boolean()),
  /** The last mark; absent: none, or the caller lacks the right. */
  mark: z.optional(Mark),
  heard: z.optional(z.enum(HEARD)),
  /** Whether it is on legal hold; absent: the caller lacks the right. */
  is_held: z.optional(z.boolean()),
}

/** A row of a payload list. */
export const PayloadSummary = z.strictObject({ ...announced, ...derived, ...extra })
export type PayloadSummary = z.output<typeof PayloadSummary>
