import type { DeviceActivity, DeviceActivityQuery, PortalActivityQuery, Total } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { getPlaces } from '../http/page.ts'
import { readableRecordings } from '../payload-records/readable.ts'
import type { Queryable } from '../ports/database/lease.ts'
import {
  countByTime,
  readByTime,
  type RowsPage,
  type TimeKey,
  type TimeOrdered,
  type WantedRows,
} from '../ports/database/time-ordered.ts'
import { type ActivityFilter, type ActivityLog, DEVICE_LOG, PORTAL_LOG, resolveFilter } from './filter.ts'
import { getNames } from './names.ts'
import { type LoggedRow, withRecordings } from './recordings.ts'

/** Maximum entries that a count of a folded log reads, because each needs a lookup of others. */
const COUNTED_FOLDED = 20_000

/** Entries behind a place (absent: from the newest), at most `limit`, newest first. */
const readActivities = <Row>(
  q: Queryable,
  log: ActivityLog,
  filter: ActivityFilter,
  limit: number,
  from: TimeKey | undefined,
): Promise<RowsPage<Row>> => readByTime<Row>(q, getOrdered(log, filter), getWanted(filter), limit, from)

/** How many entries pass the filter, counted up to a limit. */
const countActivities = (q: Queryable, log: ActivityLog, filter: ActivityFilter): Promise<Total> =>
  countByTime(q, getOrdered(log, filter), getWanted(filter))

const getOrdered = ({ table, columns }: ActivityLog, { isFolded }: ActivityFilter): TimeOrdered => ({
  table,
  time: 'activity_time',
  id: 'log_id',
  id_type: 'text',
  columns: columns(isFolded),
})

function getWanted({
  from,
  to,
  walked,
  payload_id,
  conditions,
  isFolded,
  isHidden,
}: ActivityFilter): WantedRows {
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
    isHidden,
  }
}

/** The audit trails, as far as the caller's groups reach. */
export const activityRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
): Handlers<'listActivities' | 'listDeviceActivities'> => ({
  listActivities: (context, { query }) =>
    context.read(async (q) => {
      const { payload_reference } = query
      const [asked] = await readableRecordings(q, context.caller.access, [payload_reference])
      const listed = { log: PORTAL_LOG, action: 'activities:list', payload_id: asked?.payload_id }
      const page = await list<LoggedRow>(ctx, q, context, listed, query)
      return 'total' in page ? page : { ...page, data: await withRecordings(q, context, page.data) }
    }),
  listDeviceActivities: (context, { query }) =>
    context.read(async (q) => {
      const { access } = context.caller
      const listed = { log: DEVICE_LOG, action: 'device_activities:list' }
      const page = await list<Omit<DeviceActivity, 'names'>>(ctx, q, context, listed, query)
      if ('total' in page) return page
      const names = await getNames(q, access, listed.action, page.data)
      return { ...page, data: page.data.map((row, index) => ({ ...row, names: names[index] ?? {} })) }
    }),
})

async function list<Row>(
  { cursors }: Pick<AppContext, 'cursors'>,
  q: Queryable,
  { caller }: PortalContext,
  { log, action, payload_id }: { log: ActivityLog; action: string; payload_id?: number | undefined },
  query: PortalActivityQuery | DeviceActivityQuery,
): Promise<Total | { count: number; last_key?: string; data: Row[] }> {
  const { client_id } = caller
  const { from, until } = getPlaces<TimeKey>(cursors, { name: action, client_id, query })
  const filter = resolveFilter(log, caller, action, query, payload_id)
  if (query.type === 'total') return filter ? countActivities(q, log, filter) : { total: 0 }
  if (!filter) return { count: 0, data: [] }
  const { rows, next } = await readActivities<Row>(q, log, filter, query.limit, from)
  return { count: rows.length, ...until(next), data: rows }
}
