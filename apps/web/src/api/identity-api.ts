import { makeClientOf } from '@custodia/client'
import { claimMappingEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the claim mapping, which load with its form: `identityApi.readClaimMapping({ query: {} })`. */
export const identityApi = makeClientOf(claimMappingEndpoints, portalCalls)
