import type pg from 'pg'

/** Does work that only one process at a time may do: of several with the same number, which nothing else uses, the others wait. */
export async function exclusively(owner: pg.Pool, lock: number, work: () => Promise<void>): Promise<void> {
  const holder = await owner.connect()
  try {
    await holder.query('select pg_advisory_lock($1)', [lock])
    await work()
  } finally {
    // Ending the connection gives the lock back, whatever happened.
    holder.release(true)
  }
}
