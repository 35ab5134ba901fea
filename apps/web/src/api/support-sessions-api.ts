import { makeClientOf } from '@custodia/client'
import { internalSupportSessionEndpoints, supportSessionEndpoints } from '@custodia/contract'
import { portalClient } from './api.ts'
import { ownAccountCalls } from './home-api.ts'

/** Support sessions as the client reads them. */
export const sessionApi = portalClient(supportSessionEndpoints, {})

/** Support sessions as the provider reads them. */
export const internalSessionApi = makeClientOf(internalSupportSessionEndpoints, ownAccountCalls)
