import { makeClientOf } from '@custodia/client'
import { fleetActEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Acts on several devices or device users, which load with their dialogs. */
export const fleetActsApi = makeClientOf(fleetActEndpoints, portalCalls)
