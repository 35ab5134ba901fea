import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetOldPlayheads } from './store.ts'

/** Forgets where people stopped long ago, those among them who may no longer open the recording, or have left. */
export const purgePlayheads = jobKind({
  name: 'playheads.purge',
  input: z.object({}),
  every: 86_400,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetOldPlayheads(tx, now))
  },
})
