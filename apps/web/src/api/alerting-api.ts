import { makeClientOf } from '@custodia/client'
import { alertSubscriptionEndpoints, alertWebhookEndpoints } from '@custodia/contract'
import { portalCalls } from './api.ts'

/** The calls of alerts by e-mail, which load with their page. */
export const alertMailsApi = makeClientOf(alertSubscriptionEndpoints, portalCalls)

/** The calls of webhooks, which load with their page. */
export const webhooksApi = makeClientOf(alertWebhookEndpoints, portalCalls)
