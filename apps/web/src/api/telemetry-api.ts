import { makeClientOf } from '@custodia/client'
import { telemetryEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls that tell what phones report of themselves; they load with the pages that show it. */
export const telemetryApi = makeClientOf(telemetryEndpoints, portalCalls)
