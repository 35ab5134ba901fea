import type { Queryable } from '../../../ports/database/lease.ts'
import { binder } from '../../../ports/database/binder.ts'
import { END_OF_TIME } from '../../../http/time-range.ts'
import { type Range, splitRange } from './calendar.ts'
import type { ListFilter } from './filter.ts'
import { statementName } from './statement-name.ts'

/** Kinds of review in `review_counts`. */
type Kind = 'h' | 'm'
const TABLES: Readonly<Record<Kind, string>> = { h: 'payload_opened', m: 'payload_marked' }

/** Which part of an unreviewed list this is: unheard or unmarked; undefined for other lists. */
export function leftOver({ mark, heard, marked_by, knows }: ListFilter): Kind | undefined {
  if (mark === undefined && heard === 'none' && knows.h) return 'h'
  if (heard === undefined && mark === 'none' && marked_by === '' && knows.m) return 'm'
  return undefined
}

/**
 * How many payloads of the list's scope and time were heard or marked: from counters, so the cost does not grow with
 * the list.
 */
export async function reviewedTotal(q: Queryable, filter: ListFilter, kind: Kind): Promise<number> {
  const { bind, values } = binder([filter.client_id])
  const { months, days, seconds } = splitRange(filter.from, Math.min(filter.to, END_OF_TIME))
  const sums = filter.scope.flatMap((part) => {
    const equals = [
      `client_id = $1 and service = ${bind(part.service, 'smallint')}`,
      ...(part.groups ? [`group_id = any(${bind(part.groups, 'int[]')})`] : []),
      ...(part.types ? [`type = any(${bind(part.types, 'smallint[]')})`] : []),
    ].join(' and ')
    const within = (column: string, [from, to]: Range) =>
      `${column} >= ${bind(from, 'bigint')} and ${column} < ${bind(to, 'bigint')}`
    const counted = (grain: string) => (range: Range) =>
      `select coalesce(sum(count), 0) from review_counts where ${equals} and kind = '${kind}' and grain = '${grain}' and ${within('bucket', range)}`
    const looked = (range: Range) =>
      `select count(*) from ${TABLES[kind]} where ${equals} and person = '' and ${within('payload_time', range)}`
    return [...months.map(counted('m')), ...days.map(counted('d')), ...seconds.map(looked)]
  })
  if (sums.length === 0) return 0
  const text = `select (${sums.map((sum) => `(${sum})`).join(' + ')})::bigint as total`
  const { rows } = await q.query<{ total: number }>(text, values, statementName(text))
  return rows[0]?.total ?? 0
}
