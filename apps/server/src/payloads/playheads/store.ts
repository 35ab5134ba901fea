import { PLAYED_SERVICES, PLAYHEAD_DAYS } from '@custodia/contract'
import { SERVICE_CODES, STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** SQL on payload `p`: whether it keeps playback positions: it plays and is not deleted. */
const HAS_PLAYHEADS = `p.service in (${PLAYED_SERVICES.map((service) => SERVICE_CODES[service]).join(', ')})
  and p.state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})`

/**
 * Stores the playback position in seconds. Resolves to the stored value; null when the payload does not play or is
 * deleted.
 */
export async function keepPlayhead(
  tx: Tx,
  payload_reference: string,
  { person, playhead, now }: { person: string; playhead: number; now: number },
): Promise<number | null> {
  // The lock makes a concurrent deletion see the row.
  await tx.query('select from payloads where client_id = $1 and payload_reference = $2 for share', [
    tx.client_id,
    payload_reference,
  ])
  return (
    (await tx.value<number>(
      `insert into payload_playheads (client_id, payload_id, person, playhead, kept_at)
     select p.client_id, p.payload_id, $3, $4, $5 from payloads p where p.client_id = $1 and p.payload_reference = $2 and ${HAS_PLAYHEADS}
     on conflict (client_id, payload_id, person) do update set playhead = excluded.playhead, kept_at = excluded.kept_at
     returning playhead`,
      [tx.client_id, payload_reference, person, playhead, now],
    )) ?? null
  )
}

/** Deletes a person's playback position. */
export async function forgetPlayhead(tx: Tx, payload_reference: string, person: string): Promise<void> {
  await tx.query(
    `delete from payload_playheads h using payloads p where p.client_id = $1 and p.payload_reference = $2
       and h.client_id = $1 and h.payload_id = p.payload_id and h.person = $3`,
    [tx.client_id, payload_reference, person],
  )
}

/** A person's playback position in seconds; undefined when none is stored. */
export function findPlayhead(
  q: Queryable,
  payload_id: number,
  { person, now }: { person: string; now: number },
): Promise<number | undefined> {
  return q.value<number>(
    'select playhead from payload_playheads where client_id = $1 and payload_id = $2 and person = $3 and kept_at > $4',
    [q.client_id, payload_id, person, getEnd(now)],
  )
}

/** Deletes expired playback positions of all people of a tenant. */
export async function forgetOldPlayheads(tx: Tx, now: number): Promise<void> {
  await tx.query('delete from payload_playheads where client_id = $1 and kept_at <= $2', [
    tx.client_id,
    getEnd(now),
  ])
}

const getEnd = (now: number): number => now - PLAYHEAD_DAYS * 86_400
