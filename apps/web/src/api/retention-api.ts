import { makeClientOf } from '@custodia/client'
import { certificateEndpoints, destructionEndpoints, retentionEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the retention policy and of what it destroyed, which load with their tab: `retentionApi.readRetention({ query: {} })`. */
export const retentionApi = makeClientOf(
  { ...retentionEndpoints, ...certificateEndpoints, ...destructionEndpoints },
  portalCalls,
)
