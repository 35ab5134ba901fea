import type { PayloadMeta } from '@custodia/contract'
import type { Tx } from '../../ports/database/lease.ts'
import type { Counted } from '../counts-store.ts'
import type { Subject } from './subject-store.ts'

/**
 * Links duplicate messages to the first good one; the caller stops counting them. A duplicate has the same
 * device, reference, type and time, and is hidden only behind a first one of the same holder and group.
 * Concurrent duplicates wait for each other's commit. Call it before the documents are written: conversations
 * have no duplicates.
 */
export async function linkCopies(
  tx: Tx,
  items: readonly { subject: Subject; metadata: PayloadMeta }[],
  now: number,
): Promise<Counted[]> {
  const named = items.flatMap(({ subject: { payload_id }, metadata }) =>
    'message_id' in metadata && typeof metadata.message_id === 'string'
      ? [{ payload_id, message_id: metadata.message_id }]
      : [],
  )
  if (named.length === 0) return []
  const given = JSON.stringify(named)
  await tx.query(FIRSTS, [given], 'process_firsts')
  const { rows } = await tx.query<Counted & { payload_id: number }>(COPIES, [given, now], 'process_copies')
  if (rows.length === 0) return []
  // A reviewer may already have marked a duplicate, which no list shows.
  const ids = [rows.map(({ payload_id }) => payload_id)]
  await tx.query('delete from payload_opened where payload_id = any($1)', ids, 'copies_heard')
  await tx.query('delete from payload_marked where payload_id = any($1)', ids, 'copies_marked')
  return rows
}

const GIVEN = `(
    select p.client_id, p.payload_id, p.device_id, p.device_user_id, p.group_id, sha256(convert_to(x.message_id, 'UTF8')) as message_hash, p.type,
      coalesce(p.claimed_time, p.payload_time) as reported_time
    from json_to_recordset($1::json) as x(payload_id bigint, message_id text) join payloads p using (payload_id)) g`

// In key order, so that two batches cannot deadlock.
const FIRSTS = `
  insert into message_firsts (client_id, device_id, message_hash, type, reported_time, payload_id)
  select client_id, device_id, message_hash, type, reported_time, payload_id from ${GIVEN} order by 1, 2, 3, 4, 5, 6
  on conflict do nothing`

const COPIES = `
  with copy as (
    insert into payload_copies (client_id, payload_id, first_payload_id, at)
    select g.client_id, g.payload_id, o.payload_id, $2 from ${GIVEN}
    join message_firsts f using (client_id, device_id, message_hash, type, reported_time)
    join payloads o on o.payload_id = f.payload_id
    where o.payload_id <> g.payload_id and o.group_id = g.group_id and o.device_user_id is not distinct from g.device_user_id
    on conflict do nothing returning client_id, payload_id
  )
  update payloads p set is_copy = true from copy where p.payload_id = copy.payload_id
  returning p.payload_id, p.client_id, p.service, p.type, p.group_id, p.device_id, p.payload_time`
