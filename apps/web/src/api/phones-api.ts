import { makeClientOf } from '@custodia/client'
import { deviceUserEndpoints, fleetEndpoints, gpsEndpoints, numberEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of devices and device users; they load with their pages: `phonesApi.readDevice({ params: { device_reference }, query: {} })`. */
export const phonesApi = makeClientOf(
  { ...deviceUserEndpoints, ...fleetEndpoints, ...numberEndpoints },
  portalCalls,
)

/** The calls about positions, which load with what shows them. */
export const gpsApi = makeClientOf(gpsEndpoints, portalCalls)
