import { makeClientOf } from '@custodia/client'
import { exportEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of exports with data, which load with their dialog. */
export const exportsApi = makeClientOf(exportEndpoints, portalCalls)
