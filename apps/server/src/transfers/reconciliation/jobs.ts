import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { reconcileConfig } from './reconcile.ts'
import { dueReconciliations } from './reconciliation-store.ts'

/** Seconds between retries. */
const EVERY = 3600

/** Reconciles one config. */
export const reconcileTransfer = jobKind({
  name: 'transfers.reconcile-config',
  input: z.object({ client_id: z.int(), client: z.string(), reference: z.string() }),
  key: ({ reference }) => reference,
  fair: {
    lanes: { reconciliations: { batch: 1, workers: 4, per_client: 1, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'reconciliations', cost: 1 }),
    is_swept: true,
  },
  run: reconcileConfig,
})

/** Reconciles each config once per UTC day. */
export const reconcileTransfers = jobKind({
  name: 'transfers.reconcile',
  input: z.object({}),
  every: EVERY,
  async run(ctx) {
    for (const account of await listClients(ctx.db))
      await ctx.db.write(account.client_id, async (tx) => {
        const due = await dueReconciliations(tx, ctx.now())
        const inputs = due.map((reference) => ({ ...account, reference }))
        await ctx.jobs.send(tx, reconcileTransfer, ...inputs)
      })
  },
})
