import { makeClientOf } from '@custodia/client'
import {
  deviceHolderEndpoints,
  commandEndpoints,
  deviceLogEndpoints,
  deviceUserEndpoints,
  deviceUserImportEndpoints,
  deviceUserQueueEndpoints,
  enrolmentEndpoints,
  fleetEndpoints,
  numberEndpoints,
} from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the fleet's screens, which load with them: `fleetApi.readDevice({ params: { device_reference }, query: {} })`. */
export const fleetApi = makeClientOf(
  {
    ...deviceUserEndpoints,
    ...deviceUserImportEndpoints,
    ...fleetEndpoints,
    ...numberEndpoints,
    ...deviceHolderEndpoints,
    ...commandEndpoints,
    ...deviceUserQueueEndpoints,
    ...deviceLogEndpoints,
    ...enrolmentEndpoints,
  },
  portalCalls,
)
