import { makeClientOf } from '@custodia/client'
import { clientAppEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of client apps, which load with their list. */
export const appsApi = makeClientOf(clientAppEndpoints, portalCalls)
