import * as z from 'zod/mini'
import { endpoints, inClient, ownerNames, pageOf, pageQuery } from './endpoint.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
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
  uniqueList,
} from './scalars.ts'

/**
 * Why an enabled service of a person is not recorded, the most severe first: no phone; no licence left; the phone is
 * silent; it reports that the service is off, not permitted, that it is not the device administrator, or that there
 * is no SIM; or it reports but uploads nothing.
 */
export const GAP_REASONS = [
  'no_phone',
  'unlicensed',
  'silent',
  'service_off',
  'not_allowed',
  'no_device_admin',
  'no_sim',
  'brings_nothing',
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
  /** The phone that does not record it; null: there is none. */
  device_reference: z.nullable(DeviceReference),
  from_at: EpochSeconds,
  /** Null: the gap is open. */
  to_at: z.nullable(EpochSeconds),
  ...ownerNames,
})
export type CaptureGap = z.output<typeof CaptureGap>

/** Days of `countCaptureGaps`. */
export const CAPTURE_DAYS = 30

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
}

const list = {
  method: 'GET',
  portal: 'admin',
  authentication: 'portal',
  concerns: 'groups',
  response: pageOf(CaptureGap),
} as const

export const captureEndpoints = endpoints({
  listCaptureGaps: {
    ...list,
    path: 'capture_gaps',
    action: 'capture_gaps:list',
    support: true,
    summary: 'List the capture gaps in the caller’s groups, newest first',
    params: inClient,
    query: {
      ...pageQuery,
      ...narrowed,
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      device_user_reference: z.optional(DeviceUserReference),
    },
    problems: ['invalid_cursor'],
  },
  countCaptureGaps: {
    method: 'GET',
    portal: 'admin',
    authentication: 'portal',
    concerns: 'groups',
    path: 'capture_gaps/days',
    action: 'capture_gaps:list',
    support: true,
    summary: 'Count the open capture gaps at the end of each of the last 30 days',
    params: inClient,
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
    summary: 'List the capture gaps of a device user, newest first',
    params: z.object({ ...inClient.shape, device_user_reference: DeviceUserReference }),
    query: { ...pageQuery, ...narrowed },
    problems: ['not_found', 'invalid_cursor'],
  },
})
