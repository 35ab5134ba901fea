import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../ports/database/partitions.ts'

const LOGS = ['portal_activities', 'device_activities']

/** Seconds after its end from which on the partition of a month may go once retention has left nothing in it. */
const KEPT_EMPTY = 31 * 86_400

/** Makes the monthly partitions of both audit logs before they are needed, and drops those that hold nothing any more: at the start of a worker and daily. */
export const makeActivityPartitions = jobKind({
  name: 'activities.partitions',
  input: z.object({}),
  every: 86_400,
  async run(ctx, _input, signal) {
    for (const table of LOGS) {
      const log = { table, time: 'activity_time' }
      await makeMonths(ctx.db, log, ctx.now(), signal)
      await dropEmptyMonths(ctx.db, log, ctx.now() - KEPT_EMPTY, signal)
    }
  },
})
