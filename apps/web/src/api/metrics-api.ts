import { makeClientOf } from '@custodia/client'
import { metricEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of the metrics, which load with their screen. */
export const metricsApi = makeClientOf(metricEndpoints, portalCalls)
