import { makeClientOf } from '@custodia/client'
import { licenseEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of licences, which load with their page. */
export const licensesApi = makeClientOf(licenseEndpoints, portalCalls)
