import type { Group } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'

interface GroupFilter {
  /** Ids within the caller's reach. */
  groups: readonly number[] | 'all'
  /** Part of the reference, in any case; empty: all. */
  search: string
}

const FILTER = `($1::int[] is null or g.group_id = any($1)) and position(lower($2) in lower(g.group_reference)) > 0`
const valuesOf = ({ groups, search }: GroupFilter) => [groups === 'all' ? null : groups, search]

/** Groups after a reference, in order of their references. */
export async function listGroups(
  q: Queryable,
  filter: GroupFilter,
  after: string,
  limit: number,
): Promise<Group[]> {
  const { rows } = await q.query<Group>(
    `select g.group_reference,
       coalesce((select jsonb_agg(jsonb_build_object('key', t.tag_key, 'value', t.tag_value) order by t.tag_key)
         from group_tags t where t.client_id = g.client_id and t.group_id = g.group_id), '[]') as tags
     from groups g where ${FILTER} and g.group_reference > $3 order by g.group_reference limit $4`,
    [...valuesOf(filter), after, limit],
  )
  return rows
}

/** How many groups pass the filter. */
export async function countGroups(q: Queryable, filter: GroupFilter): Promise<number> {
  const { rows } = await q.query<{ total: number }>(
    `select count(*)::int as total from groups g where ${FILTER}`,
    valuesOf(filter),
  )
  return rows[0]?.total ?? 0
}
