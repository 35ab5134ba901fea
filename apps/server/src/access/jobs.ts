import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { forgetOldDays } from './access-days-store.ts'

/** Forgets what people were handed on days that no longer tell what is usual of them; the audit log keeps it. */
export const purgeAccessDays = jobKind({
  name: 'access_days.purge',
  input: z.object({}),
  every: 86_400,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetOldDays(tx, now))
  },
})
