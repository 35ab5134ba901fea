import { getDestruction } from '@custodia/domain'
import { lockAgainstHolds } from '../held-records/store.ts'
import { type DeletionContext, take, type ChangedPayload } from '../payloads/deletion-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { DestructionLedger } from '../ports/keys/ledger/files.ts'
import { type Cause, forgetPayloads, writeIntents, writeLedger } from './ledger-store.ts'
import { findUnnoted, setFile, setMark } from './outside-store.ts'

/** Actor, time (epoch seconds, database time), run and cause of each payload. */
export interface DestructionContext extends DeletionContext {
  run_id: string
  /** A payload without a cause stays. */
  causes: ReadonlyMap<number, Cause>
}

/**
 * Destroys deleted payloads permanently, except held ones; the only way to `Destroyed`. Keys and objects follow after
 * the commit (`finishDestructions`), which needs `noteDestroyed`.
 * @param stillDue rechecks under lock which payloads are due
 */
export async function destroyPayloads(
  tx: Tx,
  payload_ids: readonly number[],
  { causes, run_id, ...doing }: DestructionContext,
  stillDue?: () => Promise<ReadonlySet<number>>,
): Promise<ChangedPayload[]> {
  const wanted = payload_ids.filter((id) => causes.has(id))
  const holds = await lockAgainstHolds(tx, wanted)
  const taken = await take(tx, wanted, getDestruction, doing, async () => {
    const [free, due] = [await holds.free(), await stillDue?.()]
    return due ? new Set([...free].filter((id) => due.has(id))) : free
  })
  const ids = taken.map(({ payload_id }) => payload_id)
  if (ids.length === 0) return taken
  await writeLedger(tx, ids, { causes, run_id, by: doing.by })
  await writeIntents(tx, ids)
  // Last, because its locks delay transactions with new search words.
  await forgetPayloads(tx, ids)
  return taken
}

/**
 * Writes destructions to the keystore's ledger durably, as the last act of the transaction. After a failed commit the
 * line remains, and retention decides again.
 */
export async function noteDestroyed(
  tx: Tx,
  ledger: Pick<DestructionLedger, 'append'>,
  client: string,
  taken: readonly Pick<ChangedPayload, 'payload_id'>[],
): Promise<void> {
  const ids = taken.map(({ payload_id }) => payload_id)
  const lines = await findUnnoted(tx, client, ids)
  if (lines.length === 0) return
  const mark = await ledger.append(lines)
  await setFile(tx, ids, mark.file)
  await setMark(tx, mark)
}
