import { makeClientOf } from '@custodia/client'
import {
  migrationEndpoints,
  reconciliationEndpoints,
  transferConfigEndpoints,
  transferEndpoints,
} from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of transfers and of their configurations, which load with their pages. */
export const transfersApi = makeClientOf(
  { ...transferEndpoints, ...transferConfigEndpoints, ...reconciliationEndpoints },
  portalCalls,
)

/** The calls of migration from a legacy platform, which load with their pages. */
export const migrationsApi = makeClientOf(migrationEndpoints, portalCalls)
