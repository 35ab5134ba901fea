import { PAYLOAD_STATES, type PayloadState } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { timeRange } from '../../../http/time-range.ts'
import { STATE_CODES } from '../../../payload-records/codes.ts'
import { binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import { type ListFilter, type ListQuery, resolveFilter } from './filter.ts'
import { restSql, ROW_TABLES } from './rows.ts'
import { allOfRunsSql } from './runs.ts'
import { equalSql, sourceOf } from './source.ts'

/**
 * SQL for the ids of all payloads of a list, in any state, duplicates included, each once; undefined: none. A count by
 * it equals what the caller could list.
 * @param values those of the enclosing statement; this function appends its own
 */
export async function everyPayloadSql(
  q: Queryable,
  access: Access,
  query: Pick<ListQuery, 'device_user_reference' | 'number' | 'search'>,
  values: unknown[],
): Promise<string | undefined> {
  const filter = await resolveFilter(q, access, 'payloads:list', {
    ...query,
    states: [...PAYLOAD_STATES],
    date_filter: 'payload_time',
    order: 'newest',
  })
  return filter && sqlOf({ ...filter, is_copy: undefined }, values)
}

/** Counts these in one state and time range. */
export async function countEveryPayload(
  q: Queryable,
  access: Access,
  { from, to, ...query }: Parameters<typeof everyPayloadSql>[2] & Pick<ListQuery, 'from' | 'to'>,
  state: PayloadState,
): Promise<number> {
  const values: unknown[] = []
  const ids = await everyPayloadSql(q, access, query, values)
  if (ids === undefined) return 0
  const { bind } = binder(values)
  const range = timeRange({ from, to })
  const is = [
    `p.client_id = ${bind(q.client_id, 'int')} and p.state = ${bind(STATE_CODES[state], 'smallint')}`,
    `p.payload_time >= ${bind(range.from, 'bigint')} and p.payload_time < ${bind(range.to, 'bigint')}`,
  ]
  const { rows } = await q.query<{ count: number }>(
    `select count(*)::int as count from (${ids}) x join payloads p using (payload_id) where ${is.join(' and ')}`,
    values,
  )
  return rows[0]?.count ?? 0
}

function sqlOf(filter: ListFilter, values: unknown[]): string {
  const { bind } = binder(values)
  const source = sourceOf(filter)
  const client_id = bind(filter.client_id, 'int')
  const parts = filter.scope.map(({ service, groups, types }) => {
    const conditions = [
      `client_id = ${client_id}`,
      `service = ${bind(service, 'smallint')}`,
      ...source.equals.map((equal) => equalSql(equal, bind)),
      ...(groups ? [`group_id = any(${bind(groups, 'int[]')})`] : []),
      ...(types ? [`type = any(${bind(types, 'smallint[]')})`] : []),
      ...(source.always ? [source.always] : []),
    ].join(' and ')
    return source.runs
      ? allOfRunsSql(source.runs, conditions, bind)
      : `select payload_id from ${source.table} where ${conditions}`
  })
  return `select p.payload_id from (select distinct payload_id from (${parts.join(' union all ')}) c) k
    join payloads p using (payload_id) ${ROW_TABLES} where ${restSql(filter, values)}`
}
