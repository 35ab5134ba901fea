import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { destroyDueRecords } from './records/engine.ts'
import { carryOut } from './engine.ts'

/** Expires due payloads of all accounts. A failing client does not delay the others. */
export const carryOutRetention = jobKind({
  name: 'retention.carry-out',
  input: z.object({}),
  every: 600,
  async run(ctx, _input, signal) {
    const failures: unknown[] = []
    for (const client of await listClients(ctx.db)) {
      signal.throwIfAborted()
      try {
        await carryOut(ctx, client, signal)
        await destroyDueRecords(ctx, client, signal)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Retention failed for some clients.')
  },
})
