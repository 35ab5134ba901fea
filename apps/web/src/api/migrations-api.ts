import { makeClientOf } from '@custodia/client'
import { migrationEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of migration from a legacy platform, which load with their pages. */
export const migrationsApi = makeClientOf(migrationEndpoints, portalCalls)
