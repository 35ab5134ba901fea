import { GIVEN_UP } from './store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { STATE_CODES } from '../payload-records/codes.ts'

/** SQL: whether payload `p` is expected and late: it was announced or failed, and `markLate` raised an alert for it. */
const IS_LATE = `p.is_late and p.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed})`

/**
 * Writes off a late payload; the first write-off counts. Resolves to its time by the database clock;
 * undefined when the payload is not expected or not late.
 */
export async function abandon(tx: Tx, payload_id: number, by: string): Promise<number | undefined> {
  const { rows } = await tx.query<{ at: number }>(
    `with p as materialized (select p.* from payloads p where p.client_id = $1 and p.payload_id = $2 and ${IS_LATE} for update),
     before as (select a.at from p, payload_write_offs a where ${GIVEN_UP}),
     given_up as (
       insert into payload_write_offs (client_id, payload_id, at, by)
       select $1, payload_id, greatest(floor(extract(epoch from clock_timestamp()))::bigint, uploaded_at), $3 from p
       where not exists (select from before) returning at)
     select at from before union all select at from given_up`,
    [tx.client_id, payload_id, by],
    'payload_abandon',
  )
  return rows[0]?.at
}
