import { destructionOf } from '@custodia/domain'
import { lockAgainstHolds } from '../held-records/store.ts'
import { type Doing, take, type Taken } from '../payloads/deletion-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { DestructionLedger } from '../ports/keys/ledger/files.ts'
import { type Cause, forgetPayloads, writeIntents, writeLedger } from './ledger-store.ts'
import { findUnnoted, setFile, setMark } from './outside-store.ts'

/** Who destroys, when (epoch seconds by the database), in which run, and by what each payload goes. */
export interface Destroying extends Doing {
  run_id: string
  /** Absent for a payload: nothing says why it should go, so it stays. */
  causes: ReadonlyMap<number, Cause>
}

/**
 * Destroys what is deleted of these payloads, for ever: the only way to `Destroyed`. The tables have a tombstone of them then, and nothing that
 * opens what lies elsewhere; keys and objects go after the commit (`finishDestructions`), which the database refuses without `noteDestroyed`. Resolves to those that were destroyed. What a legal hold
 * keeps, or kept until some days ago, is left as it is, whatever the caller knew of holds.
 *
 * @param stillDue asked once they are locked, which of them are due: what was known before may have changed
 */
export async function destroyPayloads(
  tx: Tx,
  payload_ids: readonly number[],
  { causes, run_id, ...doing }: Destroying,
  stillDue?: () => Promise<ReadonlySet<number>>,
): Promise<Taken[]> {
  const wanted = payload_ids.filter((id) => causes.has(id))
  const holds = await lockAgainstHolds(tx, wanted)
  const taken = await take(tx, wanted, destructionOf, doing, async () => {
    const [free, due] = [await holds.free(), await stillDue?.()]
    return due ? new Set([...free].filter((id) => due.has(id))) : free
  })
  const ids = taken.map(({ payload_id }) => payload_id)
  if (ids.length === 0) return taken
  await writeLedger(tx, ids, { causes, run_id, by: doing.by })
  await writeIntents(tx, ids)
  // Last: for what it locks, others who bring new words wait.
  await forgetPayloads(tx, ids)
  return taken
}

/**
 * Notes what the transaction destroys in the ledger beside the keys, durably, as its last act: what has committed is known to any database that
 * replaces this one. Where the commit fails nevertheless, the line stays: what it names was due and free of holds, and the next look at the ledger
 * destroys it, unless a hold keeps it by then or a person restored it.
 */
export async function noteDestroyed(
  tx: Tx,
  ledger: Pick<DestructionLedger, 'append'>,
  client: string,
  taken: readonly Pick<Taken, 'payload_id'>[],
): Promise<void> {
  const ids = taken.map(({ payload_id }) => payload_id)
  const lines = await findUnnoted(tx, client, ids)
  if (lines.length === 0) return
  const mark = await ledger.append(lines)
  await setFile(tx, ids, mark.file)
  await setMark(tx, mark)
}
