import type { ReviewSettings } from '@custodia/contract'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** The default: a mark has no reasons. */
const UNSAID: ReviewSettings = { reasons: [] }

/** The review settings of the account. */
export async function findReviewSettings(q: Queryable): Promise<ReviewSettings> {
  const { rows } = await q.query<ReviewSettings>(
    'select reasons from review_settings where client_id = $1',
    [q.client_id],
    'review_settings',
  )
  return rows[0] ?? UNSAID
}

/** Replaces it. */
export async function writeReviewSettings(
  tx: Tx,
  { reasons }: ReviewSettings,
  { now, by }: { now: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into review_settings (client_id, reasons, updated_at, updated_by) values ($1, $2, $3, $4)
     on conflict (client_id) do update set reasons = excluded.reasons,
       updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, reasons, now, by],
  )
}
