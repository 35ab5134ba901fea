import { makeClientOf } from '@custodia/client'
import { deviceUserEndpoints, fleetEndpoints, numberEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of devices and device users; they load with their pages: `phonesApi.readDevice({ params: { device_reference }, query: {} })`. */
export const phonesApi = makeClientOf(
  { ...deviceUserEndpoints, ...fleetEndpoints, ...numberEndpoints },
  portalCalls,
)
