import type pg from 'pg'

/** Runs work that only one process at a time may do: others with the same unique number wait. */
export async function exclusively(owner: pg.Pool, lock: number, work: () => Promise<void>): Promise<void> {
  const holder = await owner.connect()
  try {
    await holder.query('select pg_advisory_lock($1)', [lock])
    await work()
  } finally {
    // Closing the connection releases the lock in any case.
    holder.release(true)
  }
}
