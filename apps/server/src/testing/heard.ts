import type { PlayedPart } from '@custodia/contract'
import { ulid } from 'ulid'
import { storePlay } from '../payloads/plays/store.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Enters a playback into the audit of a payload, as an address of its data does. */
export const enterPlayback = (tx: Tx, payload_id: number, portal_user: string, at: number): Promise<void> =>
  notePayloadAudit(tx, [payload_id], { at, log_id: ulid(), portal_user, action: 'payloads:play' })

/** A person plays a payload; of a recording, its first ten seconds. */
export async function hear(
  tx: Tx,
  payload_id: number,
  person: string,
  { at = 1, parts = [{ from: 0, to: 10 }] }: { at?: number; parts?: readonly PlayedPart[] } = {},
): Promise<void> {
  await enterPlayback(tx, payload_id, person, at)
  await storePlay(tx, payload_id, { person, parts, length: null, now: at })
}
