import { periodicJob } from '../jobs/kind.ts'
import { dropEmptyMonths, makeMonths } from '../ports/database/partitions.ts'

const LOGS = ['portal_activities', 'device_activities']

/** Seconds after the end of a month from which its empty partition may be dropped. */
const KEPT_EMPTY = 31 * 86_400

/**
 * Creates the monthly partitions of both audit logs ahead of time, and drops empty old ones: when a worker starts,
 * and daily.
 */
export const makeActivityPartitions = periodicJob({
  name: 'activities.partitions',
  every: 86_400,
  async run(ctx, _input, signal) {
    for (const table of LOGS) {
      const log = { table, time: 'activity_time' }
      await makeMonths(ctx.db, log, ctx.now(), signal)
      await dropEmptyMonths(ctx.db, log, ctx.now() - KEPT_EMPTY, signal)
    }
  },
})
