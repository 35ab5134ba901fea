import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
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
  NonNegative,
  queryBoolean,
  text,
  uniqueList,
} from './scalars.ts'
import {
  reportKey,
  reportOutcome,
  REPORTS_BODY_LIMIT,
  ReportId,
  ReportTime,
  sealedReport,
} from './sealed-reports.ts'
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
/** Percent of the battery, and bytes of storage, below which too little is left. */
export const LOW_BATTERY = 15
export const LOW_STORAGE = 500 * 1000 ** 2

const reported = {
  telemetry_id: ReportId,
  telemetry_time: ReportTime,
  received_at: EpochSeconds,
  facts: DeviceFacts,
}

/** A report as lists show it. */
export const TelemetryRow = z.strictObject({
  client: ClientReference,
  ...reported,
  device_reference: DeviceReference,
  /** Who held the phone at that time, and the group that it was in. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
})
export type TelemetryRow = z.output<typeof TelemetryRow>

/** A report with all that the phone sealed. */
export const TelemetryReport = z.strictObject({
  ...TelemetryRow.shape,
  /** Null if it cannot be opened. */
  report: z.nullable(Telemetry),
  /** The newest report up to this one that lists the installed applications. */
  applications_in: z.nullable(z.strictObject({ telemetry_id: ReportId, telemetry_time: ReportTime })),
})
export type TelemetryReport = z.output<typeof TelemetryReport>

/** What the provider's staff see of a report: facts of the device. */
export const ProviderTelemetryRow = z.strictObject({
  client: ClientReference,
  telemetry_time: ReportTime,
  received_at: EpochSeconds,
  /** Null where the client chose it itself: such a name may identify a person. */
  device_reference: z.nullable(z.string()),
  facts: DeviceFacts,
})
export type ProviderTelemetryRow = z.output<typeof ProviderTelemetryRow>

/** A step of a series; what no report of the step said is null. */
export const TelemetryPoint = z.strictObject({
  /** When the step begins. */
  at: EpochSeconds,
  reports: Count,
  /** The least of the step; of the queue the most. */
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
  /** By `telemetry_time`: inclusive. */
  from: z.optional(DateParameter),
  /** Exclusive; a bare date means the midnight after it. */
  to: z.optional(DateParameter),
}

const list = {
  method: 'GET',
  portal: 'admin',
  authentication: 'portal',
  concerns: 'groups',
} as const

const ofDevice = z.object({ ...inClient.shape, device_reference: DeviceReference })

export const telemetryEndpoints = endpoints({
  listTelemetry: {
    ...list,
    path: 'telemetry',
    params: inClient,
    action: 'telemetry:list',
    support: true,
    summary: 'What phones report of themselves in the caller’s groups, newest first',
    query: {
      ...pageQuery,
      ...byFacts,
      ...byTime,
      groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
      device_reference: z.optional(DeviceReference),
      device_user_reference: z.optional(DeviceUserReference),
      /** Only the newest report of each phone. */
      latest: z.optional(queryBoolean()),
    },
    response: pageOf(TelemetryRow),
    problems: ['invalid_cursor'],
  },
  listTelemetryOfDevice: {
    ...list,
    path: 'devices/{device_reference}/telemetry',
    action: 'devices.telemetry:list',
    support: true,
    summary: 'What one phone reports of itself, newest first',
    params: ofDevice,
    query: { ...pageQuery, ...byFacts, ...byTime },
    response: pageOf(TelemetryRow),
    problems: ['not_found', 'invalid_cursor'],
  },
  readTelemetrySeries: {
    ...list,
    path: 'devices/{device_reference}/telemetry/series',
    action: 'devices.telemetry:list',
    support: true,
    summary: 'Battery, storage, memory and queue of one phone over time',
    params: ofDevice,
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
    ...list,
    path: 'devices/{device_reference}/telemetry/{telemetry_id}',
    action: 'devices.telemetry:read',
    support: true,
    summary: 'One report of a phone, with its numbers and applications',
    params: z.object({ ...ofDevice.shape, telemetry_id: ReportId }),
    response: TelemetryReport,
    problems: ['not_found'],
  },
})

const ofClients = {
  method: 'GET',
  portal: 'internal',
  authentication: 'portal',
  concerns: 'account',
  response: pageOf(ProviderTelemetryRow),
} as const

export const internalTelemetryEndpoints = endpoints({
  listTelemetryOfClients: {
    ...ofClients,
    path: 'telemetry',
    action: 'internal.telemetry:list',
    summary: 'The newest report of each phone of all clients: facts of devices alone',
    query: {
      ...pageQuery,
      ...byFacts,
      clients: z.optional(uniqueList(ClientReference, 1, BATCH_LIMIT)),
    },
    problems: ['invalid_cursor'],
  },
  listTelemetryOfClient: {
    ...ofClients,
    path: 'clients/{client}/telemetry',
    action: 'internal.clients.telemetry:list',
    summary: 'The newest report of each phone of one client: facts of devices alone',
    params: inClient,
    query: { ...pageQuery, ...byFacts },
    problems: ['not_found', 'invalid_cursor'],
  },
})

export const phoneTelemetryEndpoints = endpoints({
  uploadTelemetry: {
    method: 'POST',
    portal: 'device',
    path: 'telemetry',
    authentication: 'device',
    summary:
      'Takes what a phone reports of itself, sealed, up to 100 reports at once, each once however often it comes',
    body: z.strictObject({
      ...reportKey,
      telemetry: z
        .array(z.strictObject({ telemetry_id: ReportId, telemetry_time: ReportTime, ...sealedReport }))
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
      telemetry: z.array(z.strictObject({ telemetry_id: ReportId, ...reportOutcome })),
    }),
  },
})
