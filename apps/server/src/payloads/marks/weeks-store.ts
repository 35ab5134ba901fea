import type { ReviewWeek } from '@custodia/contract'
import { binder } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { type ReachLane, lanesSql } from '../lanes-sql.ts'

/**
 * The review counts per week, person and group, the newest week first, within the scopes and days. At most
 * `limit` rows.
 */
export async function findReviewWeeks(
  q: Queryable,
  { lanes, from, to }: { lanes: readonly ReachLane[]; from: number; to: number },
  limit: number,
): Promise<ReviewWeek[]> {
  const { bind, values } = binder()
  const count = (act: string) => `coalesce(sum(count) filter (where act = '${act}'), 0)::int as ${act}`
  const { rows } = await q.query<ReviewWeek>(
    `select extract(epoch from date_trunc('week', to_timestamp(c.day) at time zone 'UTC') at time zone 'UTC')::bigint as week, c.person,
       g.group_reference as "group", ${['heard', 'reviewed', 'flagged', 'escalated'].map(count).join(', ')}
     from review_days c join groups g on g.client_id = c.client_id and g.group_id = c.group_id
     where c.client_id = ${bind(q.client_id, 'int')} and c.day >= ${bind(from, 'bigint')} and c.day < ${bind(to, 'bigint')}
       and ${lanesSql(lanes, bind, 'c')}
     group by 1, 2, 3 order by 1 desc, 2, 3 limit ${limit}`,
    values,
  )
  return rows
}
