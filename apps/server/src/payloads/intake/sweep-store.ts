import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'

/** References of expected payloads, the least recently checked first; marks them as checked. */
export async function takeUnchecked(tx: Tx, limit: number, now: number): Promise<string[]> {
  const { rows } = await tx.query<{ payload_reference: string }>(
    `update payload_work w set checked_at = $2 from payloads p
     where p.payload_id = w.payload_id and w.payload_id in (
       select w2.payload_id from payload_work w2 join payloads p2 using (payload_id)
       where w2.client_id = $1 and p2.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed}) order by w2.checked_at limit $3)
     returning p.payload_reference`,
    [tx.client_id, now, limit],
  )
  return rows.map((row) => row.payload_reference)
}

/** Payloads without a processing task that have waited since before a time; restarts their wait. */
export async function takeStuck(
  tx: Tx,
  kind: string,
  { now, before }: { now: number; before: number },
): Promise<{ payload_id: number; size: number }[]> {
  const { rows } = await tx.query<{ payload_id: number; size: number }>(
    `update payload_work w set since = $2, nudges = least(w.nudges + 1, 32000) from payloads p, payload_envelopes e
     where p.payload_id = w.payload_id and e.payload_id = w.payload_id and w.client_id = $1 and w.since < $3
       and p.state in (${STATE_CODES.Uploaded}, ${STATE_CODES.Scanning})
       and not exists (select from client_tasks t where t.client_id = $1 and t.kind = $4 and t.key = w.payload_id::text)
     returning w.payload_id, coalesce(e.size, 0) as size`,
    [tx.client_id, now, before, kind],
  )
  return rows
}

/**
 * Marks payloads as late that were recorded before a time and have not arrived, or failed and were not sent
 * again.
 */
export async function markLateUploads(
  tx: Tx,
  { now, before }: { now: number; before: number },
): Promise<{ payload_id: number; device_reference: string; group_id: number }[]> {
  const { rows } = await tx.query<{ payload_id: number; device_reference: string; group_id: number }>(
    `update payloads p set is_late = true, updated_at = $2 from payload_work w, devices d
     where w.payload_id = p.payload_id and w.client_id = $1 and d.device_id = p.device_id and p.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed})
       and not p.is_late and not p.is_legacy and least(coalesce(p.payload_end_time, p.payload_time), p.announced_at) < $3
     returning p.payload_id, d.device_reference, d.group_id`,
    [tx.client_id, now, before],
  )
  return rows
}

/** The keys that no object of the tenant has. */
export async function findOrphans(q: Queryable, keys: readonly string[]): Promise<string[]> {
  const { rows } = await q.query<{ key: string }>(
    `select key from unnest($2::text[]) as key
     where not exists (select from payload_objects o where o.client_id = $1 and o.object_key = key)`,
    [q.client_id, keys],
  )
  return rows.map((row) => row.key)
}
