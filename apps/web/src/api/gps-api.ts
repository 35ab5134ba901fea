import { makeClientOf } from '@custodia/client'
import { gpsEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls about positions, which load with what shows them. */
export const gpsApi = makeClientOf(gpsEndpoints, portalCalls)
