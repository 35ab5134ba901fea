import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { clientsWithDue, forgetDeliveries } from '../alerts/delivery-store.ts'
import { dueWebhooks } from './delivery-store.ts'
import { deliverWebhook } from './deliver.ts'

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

/** Days for which one may look up what became of a delivery. */
const KEPT = 30

/** Forgets deliveries that arrived or were given up long ago. */
export const purgeDeliveries = jobKind({
  name: 'alerts.deliveries.purge',
  input: z.object({}),
  every: 3600,
  async run(ctx) {
    const before = ctx.now() - KEPT * 86_400
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetDeliveries(tx, before))
  },
})
