import { makeClientOf } from '@custodia/client'
import { legalHoldEndpoints, legalMatterEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of legal holds and matters, which load with their tabs: `holdsApi.readLegalHold({ params: { target_type, target } })`. */
export const holdsApi = makeClientOf({ ...legalHoldEndpoints, ...legalMatterEndpoints }, portalCalls)
