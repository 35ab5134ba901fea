import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { purgeCodes } from './store.ts'

/** Seconds for which an expired code is kept. */
const KEPT_SECONDS = 30 * 86_400

/** Deletes codes that expired long ago, used or not. */
export const purgeVerifications = jobKind({
  name: 'verifications.purge',
  input: z.object({}),
  every: 3600,
  run: (ctx) => purgeCodes(ctx.db, ctx.now() - KEPT_SECONDS),
})
