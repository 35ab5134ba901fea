import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetDeliveries } from '../delivery-store.ts'
import { deliverAlerts } from './deliver.ts'

/** Sends alerts to the webhooks of accounts. */
export const sendWebhooks = jobKind({
  name: 'alerts.webhooks',
  input: z.object({}),
  every: 5,
  run: (house, _input, signal) => deliverAlerts(house, signal),
})

/** Days for which one may look up what became of a delivery. */
const KEPT = 30

/** Forgets deliveries that arrived or were given up long ago. */
export const purgeDeliveries = jobKind({
  name: 'alerts.deliveries.purge',
  input: z.object({}),
  every: 3600,
  async run(house) {
    const before = house.now() - KEPT * 86_400
    for (const { client_id } of await listClients(house.db))
      await house.db.write(client_id, (tx) => forgetDeliveries(tx, before))
  },
})
