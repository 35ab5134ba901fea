import type { Tx } from './lease.ts'

/** Runs work in a savepoint, which is rolled back when it fails; the transaction continues. */
export async function attempt<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint attempt')
  try {
    const result = await work()
    await tx.query('release savepoint attempt')
    return result
  } catch (error) {
    await tx.query('rollback to savepoint attempt')
    throw error
  }
}

/** Returns the result of work and rolls its changes back. */
export async function rehearse<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint rehearsal')
  try {
    return await work()
  } finally {
    await tx.query('rollback to savepoint rehearsal')
  }
}
