import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { forgetAlerts } from './alert-store.ts'
import { LOG_TABLE } from './log-store.ts'

/** Seconds for which alert ids detect repeats. */
const KEPT_SECONDS = 30 * 86_400
/** Seconds that an empty monthly partition is kept after its end. */
const KEPT_EMPTY = 31 * 86_400

/** Creates partitions of device logs in advance, drops old empty ones and deletes ids of old alerts. */
export const keepDeviceLogs = jobKind({
  name: 'device-logs.partitions',
  input: z.object({}),
  every: 86_400,
  async run(ctx, _input, signal) {
    const now = ctx.now()
    await makeMonths(ctx.db, LOG_TABLE, now, signal)
    await dropEmptyMonths(ctx.db, LOG_TABLE, now - KEPT_EMPTY, signal)
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetAlerts(tx, now - KEPT_SECONDS))
  },
})
