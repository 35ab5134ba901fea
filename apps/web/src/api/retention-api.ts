import { makeClientOf } from '@custodia/client'
import { certificateEndpoints, destructionEndpoints, retentionEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of the retention policy and its executions; they load with their tab: `retentionApi.readRetention({ query: {} })`. */
export const retentionApi = makeClientOf(
  { ...retentionEndpoints, ...certificateEndpoints, ...destructionEndpoints },
  portalCalls,
)
