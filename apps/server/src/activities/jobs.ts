import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'

/** Months made ahead of their time. */
const AHEAD = 3

/**
 * Makes the monthly partitions of both audit logs before they are needed: at the start of a worker and daily. Entries of a month
 * without one stand in the default partition, where they are found as well; none is ever refused. The owner's work: the
 * application's role may not make tables.
 */
export const makeActivityPartitions = jobKind({
  name: 'activities.partitions',
  input: z.object({}),
  every: 86_400,
  async run(house) {
    const connection = await house.db.owner.connect()
    try {
      // Every request waits behind this lock on its log: give up early, and let the queue try again.
      await connection.query(`begin; set local lock_timeout = '2s'`)
      await connection.query('select make_activity_partitions(to_timestamp($1), $2)', [house.now(), AHEAD])
      await connection.query('commit')
    } finally {
      // Whatever is left of a failed transaction ends with its connection.
      connection.release(true)
    }
  },
})
