import type { Tx } from './lease.ts'

/** Work within a transaction that is undone by itself when it fails; the transaction goes on. */
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

/** What work would return: all that it did is undone. */
export async function rehearse<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint rehearsal')
  try {
    return await work()
  } finally {
    await tx.query('rollback to savepoint rehearsal')
  }
}
