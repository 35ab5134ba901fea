import { makeClientOf } from '@custodia/client'
import { retentionEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the retention policy, which load with their tab: `retentionApi.readRetention({ query: {} })`. */
export const retentionApi = makeClientOf(retentionEndpoints, portalCalls)
