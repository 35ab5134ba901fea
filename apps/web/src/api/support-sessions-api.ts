import { makeClientOf } from '@custodia/client'
import { internalSupportSessionEndpoints, supportSessionEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'
import { ownAccountCalls } from './home-api.ts'

/** Support sessions as the client reads them. */
export const sessionApi = makeClientOf(supportSessionEndpoints, portalCalls)

/** Support sessions as the provider reads them. */
export const internalSessionApi = makeClientOf(internalSupportSessionEndpoints, ownAccountCalls)
