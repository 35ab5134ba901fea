import { AUTHENTICATE_CLOCK_SECONDS } from '@custodia/contract'
import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'

/** Forgets tokens that expired and proofs that are too old to be repeated. */
export const purgeDeviceTokens = jobKind({
  name: 'devices.purge',
  input: z.object({}),
  every: 600,
  async run(house) {
    const now = house.now()
    await house.db.globalWrite((tx) => tx.query('delete from device_tokens where expires_at < $1', [now]))
    for (const { client_id } of await listClients(house.db)) {
      // Twice the clock's tolerance: a proof is refused by its age long before it is forgotten.
      await house.db.write(client_id, (tx) =>
        tx.query('delete from device_ulids where used_at < $1', [now - 2 * AUTHENTICATE_CLOCK_SECONDS]),
      )
    }
  },
})
