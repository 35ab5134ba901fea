import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { reconcileConfig } from './reconcile.ts'
import { dueReconciliations } from './reconciliation-store.ts'

/** Seconds after which what could not be sent is tried again. */
const EVERY = 3600

/** Reconciles each config once every UTC day; one that fails keeps no other from it. */
export const reconcileTransfers = jobKind({
  name: 'transfers.reconcile',
  input: z.object({}),
  every: EVERY,
  async run(house, _input, signal) {
    const failed: unknown[] = []
    for (const account of await listClients(house.db))
      for (const reference of await house.db.read(account.client_id, (q) =>
        dueReconciliations(q, house.now()),
      )) {
        signal.throwIfAborted()
        await reconcileConfig(house, { ...account, reference }, signal).catch((error: unknown) =>
          failed.push(error),
        )
      }
    if (failed.length > 0) throw new AggregateError(failed, 'not every transfer config was reconciled')
  },
})
