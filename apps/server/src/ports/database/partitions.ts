import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from './pool.ts'

/** A table partitioned by the month of a column in epoch seconds. */
export interface Monthly {
  table: string
  time: string
}

/** Months in advance. */
const AHEAD = 3
/**
 * Attempts to lock a table, and the pause between them in ms, so that readers and writers are not blocked for
 * long.
 */
const ATTEMPTS = 20
const PAUSE = 500
/** PostgreSQL's code for a lock timeout. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Makes the partitions of a table in advance. Rows of a month without one go into the default partition, so
 * none is refused. Runs as the owner, because the application's role may not make tables.
 */
export const makeMonths = (
  db: Database,
  { table, time }: Monthly,
  now: number,
  signal: AbortSignal,
): Promise<void> =>
  patiently(signal, () =>
    db.owner.query('select make_month_partitions($1, $2, to_timestamp($3), $4)', [table, time, now, AHEAD]),
  )

/** Drops past, empty partitions. */
export const dropEmptyMonths = (
  db: Database,
  { table }: Monthly,
  now: number,
  signal: AbortSignal,
): Promise<void> =>
  patiently(signal, () => db.owner.query('select drop_empty_months($1, to_timestamp($2))', [table, now]))

/** Retries while another transaction locks the table, each time in a new transaction. */
async function patiently(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work()
      return
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
      if (!isBusy || attempt === ATTEMPTS) throw error
      await pause(PAUSE, undefined, { signal })
    }
  }
}
