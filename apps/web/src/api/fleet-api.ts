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

/** What phones are told, log and miss, and how they join, with the screens of it: `fleetApi.listCommands({ query: {} })`. */
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
