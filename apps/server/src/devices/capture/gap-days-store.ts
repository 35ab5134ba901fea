import { CAPTURE_DAYS } from '@custodia/contract'
import type { Queryable } from '../../ports/database/lease.ts'
import type { Bind } from '../../ports/database/binder.ts'

/** SQL: gap `x` differs from gap `r` by its service only. */
const IS_SAME = `x.client_id = r.client_id and x.device_user_id = r.device_user_id and x.from_at = r.from_at
  and (x.reason, x.device_id, x.to_at, x.group_id) is not distinct from (r.reason, r.device_id, r.to_at, r.group_id)`

/** SQL: services of the gaps that differ from gap `r` by their service only. */
export const SERVICES_OF_GAPS = `array(select x.service from capture_gaps x where ${IS_SAME} order by x.service)`

/** SQL condition: the first of the gaps that differ by their service only, among these services. */
export const isFirst =
  (services: readonly string[] | undefined) =>
  (bind: Bind): string =>
    `not exists (select from capture_gaps x where ${IS_SAME} and x.gap_id < r.gap_id
      ${services ? `and x.service = any(${bind(services, 'text[]')})` : ''})`

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
