import type { House } from '../house.ts'
import type { Tx } from '../ports/database/lease.ts'
import { stay } from './item-store.ts'

/** Milliseconds between signs of life of the transaction that keeps others away. */
const SIGN_OF_LIFE = 15_000

/**
 * Does work that one process does at a time, under a lock of the database that goes with it; nothing where another has it. The signal of the
 * work ends it when the lock is lost as well.
 */
export async function alone(
  { db }: Pick<House, 'db'>,
  client_id: number,
  lock: (tx: Tx) => Promise<boolean>,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await db.write(client_id, async (tx) => {
    if (!(await lock(tx))) return
    const lost = new AbortController()
    const stays = setInterval(() => {
      stay(tx).catch((error: unknown) => lost.abort(error))
    }, SIGN_OF_LIFE)
    try {
      await work(AbortSignal.any([signal, lost.signal]))
    } finally {
      clearInterval(stays)
    }
  })
}
