import { makeClientOf } from '@custodia/client'
import { alertSubscriptionEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of alerts by e-mail, which load with their page. */
export const alertMailsApi = makeClientOf(alertSubscriptionEndpoints, portalCalls)
