import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetOldPlayheads } from './store.ts'

/** Deletes old playback positions, also those of people who have left or may no longer open the recording. */
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
