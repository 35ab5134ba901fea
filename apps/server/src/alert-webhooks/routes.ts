import {
  type AlertDelivery,
  type AlertScope,
  type AlertWebhook,
  fault,
  TESTS_A_MINUTE,
  WEBHOOK_LIMIT,
  type WebhookInput,
  type alertWebhookEndpoints,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { newId } from '../http/new-id.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { webhookSecretContext } from '../ports/keys/contexts.ts'
import { newWebhookSecret } from './deliver.ts'
import {
  countDeliveries,
  countTests,
  type ListedDelivery,
  listDeliveries,
  queueTest,
  reviveDelivery,
} from './delivery-store.ts'
import { insertWebhook, listWebhooks, lockWebhooks, removeWebhook, updateWebhook } from './store.ts'

type Rows = keyof typeof alertWebhookEndpoints
type Parts = Pick<AppContext, 'cursors' | 'egress' | 'keys'>

/** Handlers of an account's alert webhooks. */
export const alertWebhookRoutes = (ctx: Parts): Handlers<Rows> => ({
  listAlertWebhooks: async (context) => ({ data: await context.read((q) => listWebhooks(q)) }),

  createAlertWebhook: create(ctx),

  updateAlertWebhook: (context, { params: { webhook_reference }, body }) => {
    assertFit(ctx, context, body)
    return context.write(async (tx) => {
      const { version } = await lockSeen(tx, context, webhook_reference)
      assertUnchanged(context, version)
      await updateWebhook(tx, webhook_reference, body, by(context))
      return getWebhook(tx, webhook_reference)
    })
  },

  async deleteAlertWebhook(context, { params: { webhook_reference } }) {
    await context.write(async (tx) => {
      await lockSeen(tx, context, webhook_reference)
      await removeWebhook(tx, webhook_reference)
    })
    return {}
  },

  testAlertWebhook: (context, { params: { webhook_reference } }) =>
    context.write(async (tx) => {
      await lockWebhooks(tx)
      if ((await countTests(tx, webhook_reference, context.now - 60)) >= TESTS_A_MINUTE)
        throw new Problem('too_many_requests', { detail: 'tests within a minute' })
      const delivery_reference = await queueTest(tx, webhook_reference, context.now)
      if (delivery_reference === undefined) throw missing()
      return getDelivery(tx, webhook_reference, delivery_reference)
    }),

  listAlertDeliveries: (context, { params: { webhook_reference }, query }) =>
    context.read(async (q) => {
      await getWebhook(q, webhook_reference)
      const filter = { webhook_reference, states: query.states }
      if (query.type === 'total') return { total: await countDeliveries(q, filter) }
      const page = await getPage(
        ctx.cursors,
        { name: `account.webhooks ${webhook_reference}`, client_id: context.caller.client_id, query },
        (from: readonly [number] | undefined, limit) => listDeliveries(q, filter, from?.[0], limit),
        ({ delivery_id }) => [delivery_id] as const,
      )
      return { ...page, data: page.data.map(toResponse) }
    }),

  resendAlertDelivery: (context, { params }) =>
    context.write(async (tx) => {
      const { webhook_reference, delivery_reference } = params
      await getDelivery(tx, webhook_reference, delivery_reference)
      if (!(await reviveDelivery(tx, params, context.now)))
        throw new Problem('wrong_state', { detail: 'the delivery was not given up' })
      return getDelivery(tx, webhook_reference, delivery_reference)
    }),
})

/** Returns the secret once; the database keeps it wrapped by the key provider. */
function create(ctx: Parts): Handler<'createAlertWebhook'> {
  return async (context, { body }) => {
    assertFit(ctx, context, body)
    const webhook_reference = newId()
    const { key, secret } = newWebhookSecret()
    const wrapped = await ctx.keys.wrap(key, webhookSecretContext(context.caller.client, webhook_reference))
    key.fill(0)
    return context.write(async (tx) => {
      if ((await lockWebhooks(tx)) >= WEBHOOK_LIMIT)
        throw new Problem('wrong_state', { detail: `there are ${WEBHOOK_LIMIT} webhooks already` })
      await insertWebhook(tx, webhook_reference, body, wrapped, by(context))
      return { ...(await getWebhook(tx, webhook_reference)), secret }
    })
  }
}

/**
 * Rejects alerts that the caller may not see, and addresses that the egress guard refuses. Problems: escalation,
 * invalid_input.
 */
function assertFit({ egress }: Parts, context: PortalContext, { alert_scopes, url }: WebhookInput): void {
  assertSees(context, alert_scopes)
  if (egress.admits(url)) return
  const code = url.startsWith('https:') ? 'address_forbidden' : 'https_address'
  throw new Problem('invalid_input', { faults: [fault('url', code)] })
}

function assertSees({ caller }: PortalContext, alert_scopes: readonly AlertScope[]): void {
  if (!alert_scopes.every((scope) => caller.access.alert_permissions[`${scope}_read`]))
    throw new Problem('escalation', { detail: 'alerts of a scope that the caller may not see' })
}

/**
 * Locks a webhook; rejects callers who may not see all of its alerts, because a change would drop waiting deliveries.
 */
async function lockSeen(tx: Tx, context: PortalContext, webhook_reference: string): Promise<AlertWebhook> {
  await lockWebhooks(tx)
  const webhook = await getWebhook(tx, webhook_reference)
  assertSees(context, webhook.alert_scopes)
  return webhook
}

const by = ({ now, caller }: PortalContext) => ({ updated_at: now, updated_by: getActor(caller) })
const missing = () => new Problem('not_found', { detail: 'no such webhook or delivery' })

async function getWebhook(q: Queryable, webhook_reference: string): Promise<AlertWebhook> {
  const [found] = await listWebhooks(q, webhook_reference)
  if (!found) throw missing()
  return found
}

async function getDelivery(
  q: Queryable,
  webhook_reference: string,
  delivery_reference: string,
): Promise<AlertDelivery> {
  const [found] = await listDeliveries(q, { webhook_reference, delivery_reference }, undefined, 1)
  if (!found) throw missing()
  return toResponse(found)
}

const toResponse = ({ delivery_id: _id, ...delivery }: ListedDelivery): AlertDelivery => delivery
