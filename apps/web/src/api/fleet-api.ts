import { makeClientOf } from '@custodia/client'
import {
  captureEndpoints,
  commandEndpoints,
  deviceHolderEndpoints,
  deviceLogEndpoints,
  deviceUserImportEndpoints,
  deviceUserQueueEndpoints,
  enrolmentEndpoints,
  metricEndpoints,
  telemetryEndpoints,
} from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls for device commands, logs, capture gaps and enrolments: `fleetApi.listCommands({ query: {} })`. */
export const fleetApi = makeClientOf(
  {
    ...deviceUserImportEndpoints,
    ...deviceHolderEndpoints,
    ...commandEndpoints,
    ...deviceUserQueueEndpoints,
    ...captureEndpoints,
    ...deviceLogEndpoints,
    ...enrolmentEndpoints,
  },
  portalCalls,
)

/** The calls of the metrics, which load with their screen. */
export const metricsApi = makeClientOf(metricEndpoints, portalCalls)

/** Calls of device telemetry; they load with their pages. */
export const telemetryApi = makeClientOf(telemetryEndpoints, portalCalls)
