import { makeClientOf } from '@custodia/client'
import { deviceUserEndpoints, fleetEndpoints, numberEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of phones and of those who hold them, which load with their pages: `phonesApi.readDevice({ params: { device_reference }, query: {} })`. */
export const phonesApi = makeClientOf(
  { ...deviceUserEndpoints, ...fleetEndpoints, ...numberEndpoints },
  portalCalls,
)
