import { CAPTURE_DAYS } from '@custodia/contract'
import type { Queryable } from '../../ports/database/lease.ts'

const DAY = 86_400

/** Open capture gaps of some groups, or all, at the end of each of the last days (UTC), oldest first. */
export async function countGapDays(
  q: Queryable,
  groups: readonly number[] | 'all',
  now: number,
): Promise<{ day: number; open: number }[]> {
  const today = now - (now % DAY)
  const { rows } = await q.query<{ day: number; open: number }>(
    `select d.day, count(g.gap_id)::int as open
     from generate_series($2::bigint, $3::bigint, ${DAY}) d (day)
     left join capture_gaps g on g.client_id = $1 and g.from_at < d.day + ${DAY}
       and (g.to_at is null or g.to_at >= d.day + ${DAY})
       and ($4::int[] is null or g.group_id = any($4))
     group by 1 order by 1`,
    [q.client_id, today - (CAPTURE_DAYS - 1) * DAY, today, groups === 'all' ? null : groups],
    'capture_gap_days',
  )
  return rows
}
