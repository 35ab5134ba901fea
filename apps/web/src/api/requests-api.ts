import { makeClientOf } from '@custodia/client'
import { dataRequestEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** Calls of data subject requests; they load with their tab: `requestsApi.readDataRequest({ params: { data_request_id } })`. */
export const requestsApi = makeClientOf(dataRequestEndpoints, portalCalls)
