import { makeClientOf } from '@custodia/client'
import { internalTelemetryEndpoints } from '@custodia/contract'
import { ownAccountCalls } from './own-account-calls.ts'

/** What the provider's staff see of phones. */
export const internalTelemetryApi = makeClientOf(internalTelemetryEndpoints, ownAccountCalls)
