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
import { COMMANDS, DEVICES, DEVICE_USERS, ENROLMENTS } from './after-change.ts'
import { portalClient } from './api.ts'

/** Calls for device commands, logs, capture gaps and enrolments: `fleetApi.listCommands({ query: {} })`. */
export const fleetApi = portalClient(
  {
    ...deviceUserImportEndpoints,
    ...deviceHolderEndpoints,
    ...commandEndpoints,
    ...deviceUserQueueEndpoints,
    ...captureEndpoints,
    ...deviceLogEndpoints,
    ...enrolmentEndpoints,
  },
  {
    importDeviceUsers: DEVICE_USERS,
    reviewDeviceUserImport: [],
    confirmDeviceHolder: DEVICES,
    decideDeviceHolders: DEVICES,
    reviewDeviceHolders: [],
    sendCommand: COMMANDS,
    createEnrolment: ENROLMENTS,
    createEnrolmentOfUser: ENROLMENTS,
    revokeEnrolment: ENROLMENTS,
  },
)

/** The calls of the metrics, which load with their screen. */
export const metricsApi = portalClient(metricEndpoints, {})

/** Calls of device telemetry; they load with their pages. */
export const telemetryApi = portalClient(telemetryEndpoints, {})
