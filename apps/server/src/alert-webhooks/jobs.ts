import * as z from 'zod/mini'
import { clientsWithDue } from '../alerts/delivery-store.ts'
import { jobKind } from '../jobs/kind.ts'
import { deliverWebhook } from './deliver.ts'
import { dueWebhooks } from './delivery-store.ts'

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
export const sendWebhooks = jobKind({
  name: 'alerts.webhooks',
  input: z.object({}),
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
