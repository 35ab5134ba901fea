import { makeClientOf } from '@custodia/client'
import { alertWebhookEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of webhooks, which load with their page. */
export const webhooksApi = makeClientOf(alertWebhookEndpoints, portalCalls)
