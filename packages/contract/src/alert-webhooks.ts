import * as z from 'zod/mini'
import { ALERT_SCOPES, AlertScope, AlertSeverity, AlertType } from './alerts.ts'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { ClientReference, Count, EpochSeconds, HookAddress, text, Ulid, uniqueList } from './scalars.ts'

/** Webhooks that an account may have. */
export const WEBHOOK_LIMIT = 10
/** Test deliveries per minute, of one webhook or of one person's mails. */
export const TESTS_A_MINUTE = 10

/** Waits (for its next attempt), arrived, or given up. */
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
  ...settings,
  created_at: EpochSeconds,
  created_by: z.string(),
  updated_at: EpochSeconds,
  updated_by: z.string(),
  /** Deliveries that wait, and those that were given up and not sent again. */
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

/** One alert, or test, on its way to a webhook. */
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
  /** Null: it is tried no more. */
  next_at: z.nullable(EpochSeconds),
  last_attempt_at: z.nullable(EpochSeconds),
  /** `http_<status>`, or why the address was not reached. */
  last_error: z.nullable(z.string()),
})
export type AlertDelivery = z.output<typeof AlertDelivery>

const byReference = z.object({ client: ClientReference, webhook_reference: Ulid })
const byDelivery = z.object({
  client: ClientReference,
  webhook_reference: Ulid,
  delivery_reference: text(36, 36),
})

const row = {
  portal: 'admin',
  authentication: 'portal',
  concerns: 'account',
} as const
const one = { ...row, path: 'account/webhooks/{webhook_reference}', params: byReference } as const

export const alertWebhookEndpoints = endpoints({
  listAlertWebhooks: {
    ...row,
    method: 'GET',
    path: 'account/webhooks',
    action: 'account.webhooks:list',
    support: true,
    summary: 'Addresses to which the account has its alerts told',
    params: inClient,
    response: z.strictObject({ data: z.array(AlertWebhook) }),
  },
  createAlertWebhook: {
    ...row,
    method: 'POST',
    path: 'account/webhooks',
    action: 'account.webhooks:create',
    summary: 'Adds an address for alerts of scopes that the caller may see; its secret is told this once',
    params: inClient,
    body: WebhookInput,
    response: NewAlertWebhook,
    problems: ['escalation', 'wrong_state'],
  },
  updateAlertWebhook: {
    ...one,
    method: 'PUT',
    action: 'account.webhooks:update',
    summary: 'Changes an address for alerts; its secret stays',
    body: WebhookInput,
    response: AlertWebhook,
    problems: ['escalation', 'not_found'],
  },
  deleteAlertWebhook: {
    ...one,
    method: 'DELETE',
    action: 'account.webhooks:delete',
    summary: 'Removes an address for alerts, and what waits for it',
    response: z.strictObject({}),
    problems: ['escalation', 'not_found'],
  },
  testAlertWebhook: {
    ...one,
    method: 'POST',
    path: 'account/webhooks/{webhook_reference}/test',
    action: 'account.webhooks:test',
    summary: 'Sends a test, signed as alerts are',
    response: AlertDelivery,
    problems: ['not_found'],
  },
  listAlertDeliveries: {
    ...one,
    method: 'GET',
    path: 'account/webhooks/{webhook_reference}/deliveries',
    action: 'account.webhooks:list',
    support: true,
    summary: 'What was sent to an address, waits for it, or was given up, newest first',
    query: {
      ...pageQuery,
      states: z.optional(uniqueList(z.enum(DELIVERY_STATES), 1, DELIVERY_STATES.length)),
    },
    response: pageOf(AlertDelivery),
    problems: ['invalid_cursor', 'not_found'],
  },
  resendAlertDelivery: {
    ...row,
    method: 'POST',
    path: 'account/webhooks/{webhook_reference}/deliveries/{delivery_reference}/resend',
    params: byDelivery,
    action: 'account.webhooks:resend',
    summary: 'Sends again what was given up, under the same id',
    response: AlertDelivery,
    problems: ['not_found', 'wrong_state'],
  },
})
