import * as z from 'zod/mini'
import { reportKey, reportOutcome, REPORTS_BODY_LIMIT, sealedReport, TimestampUuid } from './device-logs.ts'
import {
  listOrder,
  ADMIN_GROUPS,
  dateRange,
  DEVICE,
  endpoints,
  get,
  INTERNAL,
  ownerNames,
  getPage,
  pageQuery,
  post,
  recordFilters,
} from './endpoint.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import {
  BATCH_LIMIT,
  ClientReference,
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  NonNegative,
  queryBoolean,
  text,
  uniqueList,
} from './scalars.ts'
import { DeviceFacts, Telemetry } from './telemetry-facts.ts'

/** Problems that a report may show; lists filter by them. */
export const TELEMETRY_CONCERNS = [
  'low_battery',
  'low_storage',
  'waiting_payloads',
  'not_whitelisted',
  'no_device_admin',
  'roaming',
  ...DEVICE_SERVICES.map((service) => `no_${service}` as const),
] as const
export type TelemetryConcern = (typeof TELEMETRY_CONCERNS)[number]
/** Thresholds of low battery in percent and low storage in bytes. */
export const LOW_BATTERY = 15
export const LOW_STORAGE = 500 * 1000 ** 2

const reported = {
  telemetry_id: TimestampUuid,
  telemetry_time: EpochSeconds,
  received_at: EpochSeconds,
  facts: DeviceFacts,
}

/** A report in lists. */
export const TelemetryRow = z.strictObject({
  client: ClientReference,
  ...reported,
  device_reference: DeviceReference,
  /** Who held the device at that time, and the group that it was in. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
  ...ownerNames,
})
export type TelemetryRow = z.output<typeof TelemetryRow>

/** A report with its sealed content. */
export const TelemetryReport = z.strictObject({
  ...TelemetryRow.shape,
  /** Null if it cannot be opened. */
  report: z.nullable(Telemetry),
  /** The newest report up to this one that lists the installed applications. */
  applications_in: z.nullable(z.strictObject({ telemetry_id: TimestampUuid, telemetry_time: EpochSeconds })),
})
export type TelemetryReport = z.output<typeof TelemetryReport>

/** The facts of a report that the provider's staff see. */
export const ProviderTelemetryRow = z.strictObject({
  client: ClientReference,
  telemetry_time: EpochSeconds,
  received_at: EpochSeconds,
  /** Null if the client chose it, because such a name may identify a person. */
  device_reference: z.nullable(z.string()),
  facts: DeviceFacts,
})
export type ProviderTelemetryRow = z.output<typeof ProviderTelemetryRow>

/** A step of a series; values without a report are null. */
export const TelemetryPoint = z.strictObject({
  /** Start of the step. */
  at: EpochSeconds,
  reports: Count,
  /** Minimum of the step; for the queue the maximum. */
  battery_percentage: z.nullable(z.int()),
  storage_available: z.nullable(NonNegative),
  memory_available: z.nullable(NonNegative),
  queue_payloads: z.nullable(Count),
})
export type TelemetryPoint = z.output<typeof TelemetryPoint>

const byFacts = {
  os_version: z.optional(text(1, 255)),
  app_version: z.optional(text(1, 255)),
  model: z.optional(text(1, 255)),
  /** Any of them. */
  concerns: z.optional(uniqueList(z.enum(TELEMETRY_CONCERNS), 1, TELEMETRY_CONCERNS.length)),
}
const byTime = {
  /** By `telemetry_time`. */
  ...dateRange,
}

export const telemetryEndpoints = endpoints({
  listTelemetry: {
    ...get(ADMIN_GROUPS, 'telemetry'),
    action: 'telemetry:list',
    support: true,
    summary: 'List the device reports in the caller’s groups, newest or oldest first',
    query: {
      ...pageQuery,
      ...byFacts,
      ...byTime,
      order: listOrder,
      ...recordFilters,
      /** Only the newest report of each device. */
      latest: z.optional(queryBoolean()),
    },
    response: getPage(TelemetryRow),
  },
  listTelemetryOfDevice: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/telemetry'),
    action: 'devices.telemetry:list',
    support: true,
    summary: 'List the reports of a device, newest or oldest first',
    query: { ...pageQuery, ...byFacts, ...byTime, order: listOrder },
    response: getPage(TelemetryRow),
    problems: ['not_found'],
  },
  readTelemetrySeries: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/telemetry/series'),
    action: 'devices.telemetry:list',
    support: true,
    summary: 'Show battery, storage, memory and queue of a device over time',
    query: byTime,
    response: z.strictObject({
      from: EpochSeconds,
      to: EpochSeconds,
      /** Seconds of a step. */
      step: z.int().check(z.gte(1)),
      data: z.array(TelemetryPoint),
    }),
    problems: ['not_found'],
  },
  readTelemetry: {
    ...get(ADMIN_GROUPS, 'devices/{device_reference}/telemetry/{telemetry_id}'),
    action: 'devices.telemetry:read',
    support: true,
    summary: 'Show a device report with its numbers and applications',
    params: { telemetry_id: TimestampUuid },
    response: TelemetryReport,
    problems: ['not_found'],
  },
})

const ofClients = {
  ...INTERNAL,
  response: getPage(ProviderTelemetryRow),
} as const

export const internalTelemetryEndpoints = endpoints({
  listTelemetryOfClients: {
    ...get(ofClients, 'telemetry'),
    action: 'internal.telemetry:list',
    summary: 'List the newest device facts of all clients',
    query: { ...pageQuery, ...byFacts, clients: z.optional(uniqueList(ClientReference, 1, BATCH_LIMIT)) },
  },
  listTelemetryOfClient: {
    ...get(ofClients, 'clients/{client}/telemetry'),
    action: 'internal.clients.telemetry:list',
    summary: 'List the newest device facts of one client',
    query: { ...pageQuery, ...byFacts },
    problems: ['not_found'],
  },
})

export const telemetryUploadEndpoints = endpoints({
  uploadTelemetry: {
    ...post(DEVICE, 'telemetry'),
    summary: 'Receive up to 100 sealed reports of a device, without duplicates',
    body: z.strictObject({
      ...reportKey,
      telemetry: z
        .array(z.strictObject({ telemetry_id: TimestampUuid, telemetry_time: EpochSeconds, ...sealedReport }))
        .check(
          z.minLength(1),
          z.maxLength(BATCH_LIMIT),
          z.refine((items) => new Set(items.map((each) => each.telemetry_id)).size === items.length, {
            error: 'not_unique',
          }),
        ),
    }),
    bodyLimit: REPORTS_BODY_LIMIT,
    response: z.strictObject({
      telemetry: z.array(z.strictObject({ telemetry_id: TimestampUuid, ...reportOutcome })),
    }),
  },
})
