import type { Total } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'
import {
  countNewest,
  readNewest,
  type RowsPage,
  type TimeKey,
  type TimeOrdered,
  type WantedRows,
} from '../ports/database/newest-first.ts'
import type { ActivityFilter } from './filter.ts'
import type { ActivityLog } from './logs.ts'

/** Counting a folded log, whose entries are looked up beside others, stops after looking at that many entries. */
const COUNTED_FOLDED = 20_000

/** Entries behind a place (absent: from the newest), at most `limit`, newest first. */
export const readActivities = <Row>(
  q: Queryable,
  log: ActivityLog,
  filter: ActivityFilter,
  limit: number,
  from: TimeKey | undefined,
): Promise<RowsPage<Row>> => readNewest<Row>(q, orderedOf(log, filter), wantedOf(filter), limit, from)

/** How many entries pass the filter, counted up to a limit. */
export const countActivities = (q: Queryable, log: ActivityLog, filter: ActivityFilter): Promise<Total> =>
  countNewest(q, orderedOf(log, filter), wantedOf(filter))

const orderedOf = ({ table, columns }: ActivityLog, { isFolded }: ActivityFilter): TimeOrdered => ({
  table,
  time: 'activity_time',
  id: 'log_id',
  id_type: 'text',
  columns: columns(isFolded),
})

function wantedOf({ from, to, walked, payload_id, conditions, isFolded }: ActivityFilter): WantedRows {
  return {
    from,
    to,
    walked: walked && { ...walked, cast: 'text' },
    sideJoin:
      payload_id === undefined
        ? undefined
        : {
            join: 'join payload_audit p on p.client_id = r.client_id and p.log_id = r.log_id and p.at = r.activity_time',
            where: (bind, until) =>
              `p.payload_id = ${bind(payload_id, 'bigint')} and p.at <= ${until} and r.payload_reference is null`,
          },
    conditions,
    ...(isFolded && { counted: COUNTED_FOLDED }),
  }
}
