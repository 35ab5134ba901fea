import type pg from 'pg'

/**
 * Runs work that only one process at a time may do: others with the same unique number wait. The work gets the
 * connection that holds the lock.
 */
export async function exclusively(
  owner: pg.Pool,
  lock: number,
  work: (holder: pg.ClientBase) => Promise<void>,
): Promise<void> {
  const holder = await owner.connect()
  try {
    await holder.query('select pg_advisory_lock($1)', [lock])
    await work(holder)
  } finally {
    // Closing the connection releases the lock in any case.
    holder.release(true)
  }
}
