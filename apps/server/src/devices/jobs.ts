import { AUTHENTICATE_CLOCK_SECONDS } from '@custodia/contract'
import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { purgeTokens, purgeUlids } from '../device-records/token-store.ts'

/** Deletes expired tokens and old authentication proofs. */
export const purgeDeviceTokens = jobKind({
  name: 'devices.purge',
  input: z.object({}),
  every: 600,
  async run(ctx) {
    const now = ctx.now()
    await purgeTokens(ctx.db, now)
    for (const { client_id } of await listClients(ctx.db)) {
      // Twice the clock tolerance: the age check refuses a proof long before its deletion.
      await ctx.db.write(client_id, (tx) => purgeUlids(tx, now - 2 * AUTHENTICATE_CLOCK_SECONDS))
    }
  },
})
