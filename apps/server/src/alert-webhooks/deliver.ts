import { createHmac, randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { LEASE, getOutcome } from '../alerts/attempts.ts'
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  claimDeliveries,
  clientsWithDue,
  settleDeliveries,
} from '../alerts/delivery-store.ts'
import { pageOfAlert } from '../alerts/page-of-alert.ts'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { jobKind, periodicJob } from '../jobs/kind.ts'
import { countDelivery } from '../ports/delivery-metrics.ts'
import { EgressProblem } from '../ports/egress/port.ts'
import { webhookSecretContext } from '../ports/keys/contexts.ts'
import { dueWebhooks, findActiveWebhook, forgetUnfit } from './delivery-store.ts'

/** Begins a secret as it is shown, see https://www.standardwebhooks.com. */
const PREFIX = 'whsec_'

/** A new secret, and its representation for the receiver. */
export function newWebhookSecret(): { key: Buffer; secret: string } {
  const key = randomBytes(32)
  return { key, secret: PREFIX + key.toString('base64') }
}

/**
 * The headers of a delivery by Standard Webhooks 1.0: its id, when it was sent, and the HMAC of both with the body.
 * @param sent_at epoch seconds
 */
function signedHeaders(
  key: Buffer,
  { id, sent_at, body }: { id: string; sent_at: number; body: string },
): Record<string, string> {
  const signature = createHmac('sha256', key).update(`${id}.${sent_at}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(sent_at),
    'webhook-signature': `v1,${signature}`,
  }
}

/** Deliveries of one webhook on their way at a time, and how many of it one task sends before others have their turn. */
const TOGETHER = 5
const TURN = 500

type Parts = Pick<AppContext, 'config' | 'db' | 'egress' | 'keys' | 'log' | 'now'>

interface WebhookInput {
  client_id: number
  client: string
  webhook_reference: string
}

/** Sends due deliveries to an active webhook. After the first failure the others wait for the next task. */
export async function deliverWebhook(
  ctx: Parts,
  { client_id, client, webhook_reference }: WebhookInput,
  signal: AbortSignal,
): Promise<void> {
  const find = () => ctx.db.read(client_id, (q) => findActiveWebhook(q, webhook_reference))
  let webhook = await find()
  if (!webhook) return
  const key = await ctx.keys.unwrap(webhook.wrapped_key, webhookSecretContext(client, webhook_reference))
  try {
    for (let sent = 0; webhook && sent < TURN; sent += TOGETHER, webhook = await find()) {
      signal.throwIfAborted()
      const { url } = webhook
      const claim = { now: ctx.now(), lease: LEASE, limit: TOGETHER }
      const claimed = await ctx.db.write(client_id, async (tx) => {
        await forgetUnfit(tx, webhook_reference)
        return claimDeliveries(tx, { webhook_reference }, claim)
      })
      if (claimed.length === 0) return
      const outcomes = await Promise.all(claimed.map((each) => attempt(ctx, { url, key, signal }, each)))
      for (const { last_error } of outcomes) countDelivery('webhook', last_error === null)
      await ctx.db.write(client_id, async (tx) => {
        const dead = await settleDeliveries(tx, outcomes)
        if (dead.length > 0) await alertOnDead(ctx, tx, webhook_reference)
      })
      if (outcomes.some(({ last_error }) => last_error !== null)) return
    }
  } finally {
    key.fill(0)
  }
}

/** One request. What the receiver says is not kept, only how it ended. */
async function attempt(
  { config, egress, now }: Parts,
  { url, key, signal }: { url: string; key: Buffer; signal: AbortSignal },
  delivery: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const { delivery_reference } = delivery
  const body = getBody(config.adminPortalUrl, delivery)
  const headers = signedHeaders(key, { id: delivery_reference, sent_at: now(), body })
  const last_error = await egress
    .fetch(url, { method: 'POST', headers, body, signal })
    .then(({ ok, status }) => (ok ? null : `http_${status}`), getReason)
  return getOutcome(delivery, last_error, now())
}

function getReason(error: unknown): string {
  if (error instanceof EgressProblem) return error.reason
  throw error
}

/** The same in every attempt. No number, name or content: what kind, how severe, when, and where to read it. */
function getBody(portal: string, delivery: ClaimedDelivery): string {
  const { alert_reference, alert_type, alert_scope, alert_severity, occurred_at } = delivery
  return JSON.stringify({
    type: alert_reference === null ? 'alert.test' : 'alert.triggered',
    timestamp: new Date(occurred_at * 1000).toISOString(),
    data: { alert_type, alert_scope, alert_severity, link: pageOfAlert(portal, alert_reference) },
  })
}

const alertOnDead = (ctx: Parts, tx: Parameters<typeof raiseAlert>[0], webhook_reference: string) =>
  raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['ops'],
    alert_key: `webhook ${webhook_reference}`,
    text: 'webhook_gave_up',
    values: { webhook: webhook_reference },
    alert_severity: 'Medium',
    now: ctx.now(),
  })

/** Sends due deliveries to one webhook. */
export const sendToWebhook = jobKind({
  name: 'alerts.webhook',
  input: z.object({ client_id: z.int(), client: z.string(), webhook_reference: z.string() }),
  key: ({ webhook_reference }) => webhook_reference,
  // A request takes five seconds at most and little of this machine; an account has ten webhooks at most.
  fair: {
    lanes: { webhooks: { batch: 1, workers: 64, per_client: 10, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'webhooks', cost: 1 }),
    is_swept: true,
  },
  run: deliverWebhook,
})

/** Has alerts sent to the webhooks of all accounts. */
export const sendWebhooks = periodicJob({
  name: 'alerts.webhooks',
  every: 5,
  async run(ctx) {
    for (const account of await clientsWithDue(ctx.db, ctx.now()))
      await ctx.db.write(account.client_id, async (tx) => {
        const due = await dueWebhooks(tx, ctx.now())
        const inputs = due.map((webhook_reference) => ({ ...account, webhook_reference }))
        await ctx.jobs.send(tx, sendToWebhook, ...inputs)
      })
  },
})
