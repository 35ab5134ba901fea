import { makeClientOf } from '@custodia/client'
import { reconciliationEndpoints, transferConfigEndpoints, transferEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of transfers and of their configurations, which load with their pages. */
export const transfersApi = makeClientOf(
  { ...transferEndpoints, ...transferConfigEndpoints, ...reconciliationEndpoints },
  portalCalls,
)
