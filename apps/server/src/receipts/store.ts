import type { Tx } from '../ports/database/lease.ts'

/** Stores receipts of an app or person. Resolves to the first time of each. */
export async function insertReceipts(
  tx: Tx,
  payload_ids: readonly number[],
  { user_reference, is_person }: { user_reference: string; is_person: boolean },
  now: number,
): Promise<Map<number, number>> {
  if (payload_ids.length === 0) return new Map()
  // In a fixed order, so that two batches cannot deadlock.
  await tx.query(
    `insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
     select $1, id, $3, $4, $5 from unnest($2::bigint[]) id order by id on conflict do nothing`,
    [tx.client_id, payload_ids, user_reference, now, is_person],
  )
  const { rows } = await tx.query<{ payload_id: number; confirmed_at: number }>(
    `select payload_id, confirmed_at from payload_receipts
     where client_id = $1 and payload_id = any($2) and client_app_user = $3 and is_person = $4`,
    [tx.client_id, payload_ids, user_reference, is_person],
  )
  return new Map(rows.map(({ payload_id, confirmed_at }) => [payload_id, confirmed_at]))
}
