import { makeClientOf } from '@custodia/client'
import { internalTelemetryEndpoints } from '@custodia/contract'
import { ownAccountCalls } from './own-account-calls.ts'

/** Device telemetry for the provider's staff. */
export const internalTelemetryApi = makeClientOf(internalTelemetryEndpoints, ownAccountCalls)
