import * as z from 'zod/mini'
import { ALERT_SCOPES, AlertScope, AlertSeverity, AlertType } from './alerts.ts'
import { ADMIN_ACCOUNT, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  HookAddress,
  text,
  Ulid,
  uniqueList,
} from './scalars.ts'

/** Maximum number of webhooks of an account. */
export const WEBHOOK_LIMIT = 10
/** Test deliveries per minute, of one webhook or of one person's mails. */
export const TESTS_A_MINUTE = 10

/** States of a delivery: pending, delivered, or finally failed. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'dead'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

const settings = {
  description: text(1, 255),
  url: HookAddress,
  alert_scopes: uniqueList(AlertScope, 1, ALERT_SCOPES.length),
  min_severity: AlertSeverity,
  is_active: z.boolean(),
}
export const WebhookInput = z.strictObject(settings)
export type WebhookInput = z.output<typeof WebhookInput>

/** A webhook of the account that receives its alerts, without its secret. */
export const AlertWebhook = z.strictObject({
  client: ClientReference,
  webhook_reference: Ulid,
  version: z.string(),
  ...settings,
  created_at: EpochSeconds,
  ...authors({ created_by: z.string() }),
  updated_at: EpochSeconds,
  ...authors({ updated_by: z.string() }),
  /** Number of pending deliveries, and of finally failed ones. */
  waiting: Count,
  dead: Count,
  /** Time and error of the last attempt; null: none. */
  last_attempt_at: z.nullable(EpochSeconds),
  last_error: z.nullable(z.string()),
})
export type AlertWebhook = z.output<typeof AlertWebhook>

/** A new webhook. The secret is returned only once. */
export const NewAlertWebhook = z.strictObject({ ...AlertWebhook.def.shape, secret: z.string() })
export type NewAlertWebhook = z.output<typeof NewAlertWebhook>

/** Delivery of an alert or a test to a webhook. */
export const AlertDelivery = z.strictObject({
  /** `webhook-id`, the same in all attempts. */
  delivery_reference: z.string(),
  /** Null: a test. */
  alert_reference: z.nullable(Ulid),
  alert_type: AlertType,
  alert_scope: AlertScope,
  alert_severity: AlertSeverity,
  occurred_at: EpochSeconds,
  delivery_state: z.enum(DELIVERY_STATES),
  attempts: Count,
  /** Null: there is no further attempt. */
  next_at: z.nullable(EpochSeconds),
  last_attempt_at: z.nullable(EpochSeconds),
  /** `http_<status>`, or the connection error. */
  last_error: z.nullable(z.string()),
})
export type AlertDelivery = z.output<typeof AlertDelivery>

const one = { ...ADMIN_ACCOUNT, path: 'account/webhooks/{webhook_reference}' } as const

export const alertWebhookEndpoints = endpoints({
  listAlertWebhooks: {
    ...get(ADMIN_ACCOUNT, 'account/webhooks'),
    action: 'account.webhooks:list',
    support: true,
    summary: 'List the alert webhooks of the account',
    response: z.strictObject({ data: z.array(AlertWebhook) }),
  },
  createAlertWebhook: {
    ...post(ADMIN_ACCOUNT, 'account/webhooks'),
    action: 'account.webhooks:create',
    summary: 'Create an alert webhook; only this response contains its secret',
    body: WebhookInput,
    response: NewAlertWebhook,
    problems: ['escalation', 'wrong_state'],
  },
  updateAlertWebhook: {
    ...one,
    method: 'PUT',
    action: 'account.webhooks:update',
    summary: 'Change an alert webhook; its secret stays',
    body: WebhookInput,
    response: AlertWebhook,
    problems: ['escalation', 'not_found', 'already_exists', 'changed_meanwhile'],
  },
  deleteAlertWebhook: {
    ...one,
    method: 'DELETE',
    action: 'account.webhooks:delete',
    summary: 'Delete an alert webhook and its pending deliveries',
    response: z.strictObject({}),
    problems: ['escalation', 'not_found'],
  },
  testAlertWebhook: {
    ...post(one, 'account/webhooks/{webhook_reference}/test'),
    action: 'account.webhooks:test',
    summary: 'Send a signed test to an alert webhook',
    response: AlertDelivery,
    problems: ['not_found'],
  },
  listAlertDeliveries: {
    ...get(one, 'account/webhooks/{webhook_reference}/deliveries'),
    action: 'account.webhooks:list',
    support: true,
    summary: 'List the deliveries of an alert webhook, newest first',
    query: {
      ...pageQuery,
      states: z.optional(uniqueList(z.enum(DELIVERY_STATES), 1, DELIVERY_STATES.length)),
    },
    response: getPage(AlertDelivery),
    problems: ['not_found'],
  },
  resendAlertDelivery: {
    ...post(ADMIN_ACCOUNT, 'account/webhooks/{webhook_reference}/deliveries/{delivery_reference}/resend'),
    params: { delivery_reference: text(36, 36) },
    action: 'account.webhooks:resend',
    summary: 'Send a failed delivery again under the same id',
    response: AlertDelivery,
    problems: ['not_found', 'wrong_state'],
  },
})
