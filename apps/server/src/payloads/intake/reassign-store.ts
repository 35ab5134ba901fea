import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { countMoved, type MovedPayload, moveEscalations } from '../state-store.ts'
import { noteMovedTexts } from '../word-store.ts'

/**
 * Moves at most `most` payloads of a device from the reserved group to the group of the holder at that time,
 * with all dependent rows and counts. Resolves to the number of moved payloads; 0 when none is left.
 */
export async function reassignBatch(
  tx: Tx,
  { device_id, requested_by }: { device_id: number; requested_by: string },
  { most, now }: { most: number; now: number },
): Promise<number> {
  const { rows: due } = await tx.query<{ payload_id: number }>(LOCK_DUE, [tx.client_id, device_id, most])
  if (due.length === 0) return 0
  const ids = due.map(({ payload_id }) => payload_id)
  const { rows } = await tx.query<MovedPayload & { is_counted: boolean }>(REASSIGN, [
    tx.client_id,
    device_id,
    ids,
    now,
    requested_by,
  ])
  // Separate statements, which see the changes of transactions that held the row locks.
  for (const table of REVIEWED)
    await tx.query(
      `update ${table} r set group_id = p.group_id from payloads p
       where r.client_id = p.client_id and r.service = p.service and r.payload_time = p.payload_time
         and r.payload_id = p.payload_id and p.payload_id = any($1)`,
      [ids],
    )
  await moveEscalations(tx, ids)
  await noteMovedTexts(tx, ids, now)
  // Last: announcements of the client wait for these counter rows until the commit.
  await countMoved(
    tx,
    rows.filter(({ is_counted }) => is_counted),
  )
  return rows.length
}

/** The hearers, marks and missing receipts of reassigned payloads, in the common order of counter updates. */
const REVIEWED = ['payload_opened', 'payload_marked', 'payload_unconfirmed'] as const

/** The device user who held the device at that time; earlier recordings count for its first holder. */
const HOLDER = `
  select h.group_id, h.device_user_id from device_history h
  where h.client_id = p.client_id and h.device_id = p.device_id
  order by h.from_at <= p.payload_time desc, abs(h.from_at - p.payload_time) limit 1`

/** Payloads `p` in the reserved group, and their holder's group `h`. */
const MISPLACED = `
  from payloads p cross join lateral (${HOLDER}) h
  where p.client_id = $1 and p.device_id = $2 and h.group_id <> p.group_id
    and p.group_id = (select group_id from groups where client_id = $1 and is_reserved)`

// A fixed order, so that two batches cannot deadlock. A statement of its own, so that the next one sees concurrent
// changes. Not `for update`: the transaction that links a copy holds a share lock on its first payload.
const LOCK_DUE = `select p.payload_id ${MISPLACED} order by p.payload_id limit $3 for no key update of p`

const REASSIGN = `
  with due as materialized (
    select p.payload_id, p.group_id as from_group, p.device_user_id as from_user, h.group_id as to_group, h.device_user_id as to_user
    ${MISPLACED} and p.payload_id = any($3)
  ), moved as (
    update payloads p set group_id = due.to_group, device_user_id = due.to_user, updated_at = $4
    from due where p.payload_id = due.payload_id
    returning p.client_id, p.payload_id, p.service, p.type, p.payload_time, due.from_group, due.to_group, due.from_user, due.to_user,
      p.state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) and not p.is_copy as is_counted
  ), changed as (
    update payload_changes c set group_id = moved.to_group, updated_at = $4 from moved where c.payload_id = moved.payload_id
  ), numbered as (
    update payload_numbers n set group_id = moved.to_group from moved where n.client_id = $1 and n.payload_id = moved.payload_id
  ), worded as (
    update payload_words w set group_id = x.to_group
    from (
      select moved.*, hashtextextended(word, 0) as word_hash from moved join payload_documents d using (client_id, payload_id)
      cross join lateral unnest(string_to_array(nullif(ltrim(split_part(d.search_text, '#', 1)), ''), ' ')) word
    ) x
    where w.client_id = $1 and w.word_hash = x.word_hash and w.service = x.service and w.payload_time = x.payload_time
      and w.payload_id = x.payload_id
  ), indexed as (
    update content_words w set group_id = moved.to_group from moved where w.client_id = $1 and w.payload_id = moved.payload_id
  ), threaded as (
    update payload_threads t set group_id = moved.to_group from moved join payload_documents d using (client_id, payload_id)
    where t.client_id = $1 and t.device_id = $2 and t.thread_id = d.thread_id and t.service = moved.service
      and t.payload_time = moved.payload_time and t.payload_id = moved.payload_id
  ), commented as (
    update payload_comments c set group_id = moved.to_group from moved where c.client_id = $1 and c.payload_id = moved.payload_id
  ), said as (
    update comment_words w set group_id = moved.to_group from moved join payload_comments c using (client_id, payload_id)
    where w.client_id = $1 and w.comment_id = c.comment_id
  ), noted as (
    insert into payload_reassignments (client_id, payload_id, at, from_group, to_group, from_user, to_user, by)
    select client_id, payload_id, $4, from_group, to_group, from_user, to_user, $5 from moved
  )
  select client_id, service, type, payload_time, from_group, to_group, is_counted from moved`
