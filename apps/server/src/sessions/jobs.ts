import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { purgeItems } from '../ports/identity/items.ts'
import { forgetProviderTokens } from './store.ts'

/** Removes what the embedded provider no longer needs, and what providers vouched with in sessions that ended long ago. */
export const purgeSessions = jobKind({
  name: 'sessions.purge',
  input: z.object({}),
  every: 600,
  async run(ctx) {
    const now = ctx.now()
    await purgeItems(ctx.db, now)
    await forgetProviderTokens(ctx.db, now)
  },
})
