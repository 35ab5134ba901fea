import { Counter, Registry } from 'prom-client'

export type DeliveryKind = 'webhook' | 'mail' | 'transfer'

/** Counters of this process, which its `/metrics` includes. */
export const deliveryRegistry = new Registry()

const deliveries = new Counter({
  name: 'custodia_deliveries_total',
  help: 'Attempts to send alerts by webhook or mail, and transfer runs, by outcome',
  labelNames: ['kind', 'outcome'],
  registers: [deliveryRegistry],
})

/** Counts an attempt to send an alert, or the end of a transfer run. */
export function countDelivery(kind: DeliveryKind, isDelivered: boolean): void {
  deliveries.inc({ kind, outcome: isDelivered ? 'delivered' : 'failed' })
}
