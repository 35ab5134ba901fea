import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import * as z from 'zod/mini'
import type { House } from '../house.ts'
import { jobKind } from '../jobs/kind.ts'
import { makePartitions } from './store.ts'

/** Months made ahead of their time. */
const AHEAD = 3

const LOGS = ['portal_activities', 'device_activities']
/** Attempts to get hold of a default partition while nobody reads or writes it for long, and the pause between them in ms. */
const ATTEMPTS = 20
const PAUSE = 500
/** PostgreSQL's code for a lock that was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Makes the monthly partitions of both audit logs before they are needed: at the start of a worker and daily. Entries of a month
 * without one stand in the default partition, where they are found as well; none is ever refused. The owner's work: the
 * application's role may not make tables.
 */
export const makeActivityPartitions = jobKind({
  name: 'activities.partitions',
  input: z.object({}),
  every: 86_400,
  async run(house, _input, signal) {
    for (const log of LOGS) await makeOf(house, log, signal)
  },
})

/** Each log in a transaction of its own, so that nobody waits for one while holding the other. */
async function makeOf(house: House, log: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await makePartitions(house.db, log, house.now(), AHEAD)
      return
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
      if (!isBusy || attempt === ATTEMPTS) throw error
      await pause(PAUSE, undefined, { signal })
    }
  }
}
