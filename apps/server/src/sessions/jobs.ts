import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { purgeItems } from '../ports/identity/items.ts'
import { forgetVouchers } from './store.ts'

/** Removes what the embedded provider no longer needs, and what providers vouched with in sessions that ended long ago. */
export const purgeSessions = jobKind({
  name: 'sessions.purge',
  input: z.object({}),
  every: 600,
  async run(house) {
    const now = house.now()
    await purgeItems(house.db, now)
    await forgetVouchers(house.db, now)
  },
})
