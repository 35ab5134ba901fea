import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetEndedExports } from './export-store.ts'

/** Forgets exports that can no longer be fetched, and the reasons that were given for them; the audit log keeps who made them. */
export const purgeExports = jobKind({
  name: 'exports.purge',
  input: z.object({}),
  every: 3600,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetEndedExports(tx, now))
  },
})
