import type { WebhookInput } from '@custodia/contract'
import { insertWebhook, listWebhooks, lockWebhooks } from '../alert-webhooks/store.ts'
import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import { webhookSecretContext } from '../ports/keys/contexts.ts'
import { noteDemoAct } from './acts.ts'

/** The webhook receiver of the demo account. */
export interface DemoHook {
  url: string
  /** The secret with which it verifies deliveries. */
  key: Buffer
}

const BY = 'alice'

/** Creates a webhook to that receiver unless the account has one. */
export async function seedDemoWebhook(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
  { url, key }: DemoHook,
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const body: WebhookInput = {
    description: 'Service desk',
    url,
    alert_scopes: ['ops', 'sec'],
    min_severity: 'Low',
    is_active: true,
  }
  const webhook_reference = newId()
  const wrapped = await ctx.keys.wrap(key, webhookSecretContext(client, webhook_reference))
  const now = ctx.now()
  await ctx.db.write(account.client_id, async (tx) => {
    await lockWebhooks(tx)
    if ((await listWebhooks(tx)).some((webhook) => webhook.url === url)) return
    await insertWebhook(tx, webhook_reference, body, wrapped, { updated_at: now, updated_by: BY })
    await noteDemoAct(ctx, tx, {
      by: BY,
      at: now,
      action: 'account.webhooks:create',
      parameters: { params: {}, body },
    })
  })
}
