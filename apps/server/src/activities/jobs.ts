import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { makeMonths } from '../ports/database/partitions.ts'

const LOGS = ['portal_activities', 'device_activities']

/** Makes the monthly partitions of both audit logs before they are needed: at the start of a worker and daily. */
export const makeActivityPartitions = jobKind({
  name: 'activities.partitions',
  input: z.object({}),
  every: 86_400,
  async run(house, _input, signal) {
    for (const table of LOGS)
      await makeMonths(house.db, { table, time: 'activity_time' }, house.now(), signal)
  },
})
