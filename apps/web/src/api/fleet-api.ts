import { makeClientOf } from '@custodia/client'
import {
  captureEndpoints,
  deviceHolderEndpoints,
  commandEndpoints,
  deviceLogEndpoints,
  deviceUserImportEndpoints,
  deviceUserQueueEndpoints,
  enrolmentEndpoints,
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
