import { makeClientOf } from '@custodia/client'
import { telemetryEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of device telemetry; they load with their pages. */
export const telemetryApi = makeClientOf(telemetryEndpoints, portalCalls)
