import { makeClientOf } from '@custodia/client'
import { dataRequestEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of requests of people, which load with their tab: `requestsApi.readDataRequest({ params: { data_request_id } })`. */
export const requestsApi = makeClientOf(dataRequestEndpoints, portalCalls)
