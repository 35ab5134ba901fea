import { alertSubscriptionEndpoints, alertWebhookEndpoints } from '@custodia/contract'
import { portalClient } from './api.ts'

const WEBHOOKS = ['listAlertWebhooks', 'listAlertDeliveries'] as const
const SUBSCRIPTION = ['readAlertSubscription'] as const

/** The calls of alerts by e-mail, which load with their page. */
export const alertMailsApi = portalClient(alertSubscriptionEndpoints, {
  saveAlertSubscription: SUBSCRIPTION,
  deleteAlertSubscription: SUBSCRIPTION,
  testAlertSubscription: SUBSCRIPTION,
  checkAlertAddress: SUBSCRIPTION,
  confirmAlertAddress: SUBSCRIPTION,
})

/** The calls of webhooks, which load with their page. */
export const webhooksApi = portalClient(alertWebhookEndpoints, {
  createAlertWebhook: WEBHOOKS,
  updateAlertWebhook: WEBHOOKS,
  deleteAlertWebhook: ['listAlertWebhooks'],
  testAlertWebhook: WEBHOOKS,
  resendAlertDelivery: WEBHOOKS,
})
