import type { Range } from '../../../http/time-range.ts'
import { type Bind, binder } from '../../../ports/database/binder.ts'
import type { Queryable } from '../../../ports/database/lease.ts'
import type { ListFilter } from './filter.ts'
import { narrowing } from './rows.ts'

/**
 * Tables of the payloads that a list leaves out. Reviewed ones are under the empty name for any person. The table of those
 * without a receipt may keep a payload that has one by now. `most`: rows that are read.
 */
const LEFT_OUT = {
  heard: { table: 'payload_opened', is: `person = ''`, most: 20_000 },
  mark: { table: 'payload_marked', is: `person = ''`, most: 20_000 },
  receipt: {
    table: 'payload_unconfirmed',
    // Not `exists`: that may become a join with all receipts.
    is: '(select true from payload_receipts r where r.client_id = x.client_id and r.payload_id = x.payload_id limit 1) is null',
    most: 1000,
  },
} as const

type LeftOutFilter = keyof typeof LEFT_OUT

/** What this list leaves out: heard or marked payloads, or those without a receipt; undefined for other lists. */
export function leftOut(filter: ListFilter): LeftOutFilter | undefined {
  const { mark, heard, has_receipt, marked_by, knows } = filter
  if (has_receipt !== undefined)
    return has_receipt && mark === undefined && heard === undefined ? 'receipt' : undefined
  if (mark === undefined && heard === 'none' && knows.h) return 'heard'
  if (heard === undefined && mark === 'none' && marked_by === '' && knows.m) return 'mark'
  return undefined
}

/** SQL: whether a column is in a half-open range. */
export const within = (column: string, [from, to]: Range, bind: Bind) =>
  `${column} >= ${bind(from, 'bigint')} and ${column} < ${bind(to, 'bigint')}`

/** How many payloads of the list's scope and time it leaves out; undefined: too many to count. */
export async function leftOutTotal(
  q: Queryable,
  filter: ListFilter,
  left_out: LeftOutFilter,
): Promise<number | undefined> {
  const { table, is, most } = LEFT_OUT[left_out]
  const { bind, values } = binder([filter.client_id])
  const range = within('payload_time', [filter.from, filter.to], bind)
  const parts = filter.scope.map(
    (part) => `select count(*) filter (where true ${narrowing(part, bind)}) as found, count(*) as read from (
      select group_id, type from ${table} x where client_id = $1 and ${is}
        and service = ${bind(part.service, 'smallint')} and ${range} limit ${most}) x`,
  )
  const text = `select sum(found)::bigint as found, max(read) = ${most} as is_cut from (${parts.join(' union all ')}) p`
  const counted = await q.row<{ found: number; is_cut: boolean }>(text, values)
  return counted?.is_cut === false ? counted.found : undefined
}
