import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { forgetEndedExports } from './export-store.ts'

/** Deletes expired exports and their reasons; the audit log keeps their creators. */
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
