import * as z from 'zod/mini'
import {
  ADMIN_GROUPS,
  dateRange,
  endpoints,
  ownerNames,
  getPage,
  pageQuery,
  recordFilters,
} from './endpoint.ts'
import { PAYLOAD_TYPES, PayloadType } from './payload-types.ts'
import {
  ClientReference,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  uniqueList,
} from './scalars.ts'

/** Periods of metrics in UTC, weeks from Monday (spec section 9); `Summary` is all time. */
export const METRIC_SCOPES = ['Daily', 'Weekly', 'Monthly', 'Yearly', 'Summary'] as const
export type MetricScope = (typeof METRIC_SCOPES)[number]
/** The default scope (spec section 9). */
export const METRIC_SCOPE_DEFAULT: MetricScope = 'Summary'

/** Dimensions for sums of metrics. */
export const METRIC_SUBJECTS = ['periods', 'devices', 'users', 'groups'] as const
export type MetricSubject = (typeof METRIC_SUBJECTS)[number]

/** What a device uploaded of a type during a person's custody, in a period (spec section 3: device payload metric). */
export const DeviceMetric = z.strictObject({
  client: ClientReference,
  /** First second of the period; null for all time. */
  period: z.nullable(EpochSeconds),
  device_reference: DeviceReference,
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
  payload_type: PayloadType,
  /** Times of the first and the last recording. */
  first_occurrence: EpochSeconds,
  last_occurrence: EpochSeconds,
  count: Count,
  updated_at: EpochSeconds,
  ...ownerNames,
})
export type DeviceMetric = z.output<typeof DeviceMetric>

/** Counts per payload type of one period, device, person or group (spec section 3: payload metrics hold an id plus a count per payload type). */
export const PayloadMetric = z.strictObject({
  /** A reference, or the first day of a period (`Summary`: all time). Null: devices without a holder. */
  id: z.nullable(z.string()),
  /** Name of the device or person, for readers who may see it. */
  name: z.optional(z.string()),
  /** Types without payloads are absent. */
  counts: z.partialRecord(PayloadType, Count),
  /** Of all types together. */
  count: Count,
})
export type PayloadMetric = z.output<typeof PayloadMetric>

const scope = z.enum(METRIC_SCOPES)

const narrowed = {
  payload_types: z.optional(uniqueList(PayloadType, 1, PAYLOAD_TYPES.length)),
  ...recordFilters,
  /** The first period is the one of `from`. Not for `Summary`. */
  ...dateRange,
}

const list = {
  method: 'GET',
  ...ADMIN_GROUPS,
  action: 'metrics:list',
  problems: ['invalid_input'],
} as const

export const metricEndpoints = endpoints({
  listMetrics: {
    ...list,
    path: 'metrics/{scope}',
    support: true,
    summary: 'Count uploads per period, device, person, group and type',
    description: 'Counts the payloads in the caller’s groups and types, without deleted ones.',
    params: { scope },
    query: { ...pageQuery, ...narrowed },
    response: getPage(DeviceMetric),
  },
  countMetrics: {
    ...list,
    path: 'metrics/{scope}/{subject}',
    support: true,
    summary: 'Sum uploads by period, device, person or group',
    params: { scope, subject: z.enum(METRIC_SUBJECTS) },
    query: { ...pageQuery, ...narrowed },
    response: getPage(PayloadMetric),
  },
})
