import { makeClientOf } from '@custodia/client'
import { legalHoldEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of legal holds, which load with their tab: `holdsApi.readLegalHold({ params: { target_type, target } })`. */
export const holdsApi = makeClientOf(legalHoldEndpoints, portalCalls)
