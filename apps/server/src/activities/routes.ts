import type {
  DeviceActivity,
  DeviceActivityQuery,
  PortalActivity,
  PortalActivityQuery,
  Total,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { placesOf } from '../http/page.ts'
import type { Queryable } from '../ports/database/lease.ts'
import type { TimeKey } from '../ports/database/newest-first.ts'
import { resolveFilter } from './filter.ts'
import { type ActivityLog, DEVICE_LOG, PORTAL_LOG } from './logs.ts'
import { readableRecordings } from './recordings.ts'
import { countActivities, readActivities } from './store.ts'

/** The audit trails, as far as the caller's groups reach. */
export const activityRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
): Handlers<'listActivities' | 'listDeviceActivities'> => ({
  listActivities: (context, { query }) =>
    context.read(async (q) => {
      const { payload_reference } = query
      const [asked] = await readableRecordings(q, context.caller, [payload_reference])
      const listed = { log: PORTAL_LOG, action: 'activities:list', payload_id: asked?.payload_id }
      const page = await list<LoggedRow>(ctx, q, context, listed, query)
      return 'total' in page ? page : { ...page, data: await withRecordings(q, context, page.data) }
    }),
  listDeviceActivities: (context, { query }) =>
    context.read((q) =>
      list<DeviceActivity>(ctx, q, context, { log: DEVICE_LOG, action: 'device_activities:list' }, query),
    ),
})

/** An entry as the log has it: of a recording it knows the reference alone. */
type LoggedRow = Omit<PortalActivity, 'recording'> & { payload_reference: string | null }

/** Adds the recordings to entries whose reader may see them. */
async function withRecordings(
  q: Queryable,
  { caller }: PortalContext,
  rows: readonly LoggedRow[],
): Promise<PortalActivity[]> {
  const found = await readableRecordings(
    q,
    caller,
    rows.map(({ payload_reference }) => payload_reference),
  )
  const recordings = new Map(found.map(({ payload_reference, seen }) => [payload_reference, seen]))
  return rows.map(({ payload_reference, ...row }) => ({
    ...row,
    recording:
      payload_reference === null
        ? null
        : { payload_reference, seen: recordings.get(payload_reference) ?? null },
  }))
}

async function list<Row>(
  { cursors }: Pick<AppContext, 'cursors'>,
  q: Queryable,
  { caller }: PortalContext,
  { log, action, payload_id }: { log: ActivityLog; action: string; payload_id?: number | undefined },
  query: PortalActivityQuery | DeviceActivityQuery,
): Promise<Total | { count: number; last_key?: string; data: Row[] }> {
  const { client_id } = caller
  const { from, until } = placesOf<TimeKey>(cursors, { name: action, client_id, query })
  const filter = resolveFilter(log, caller, action, query, payload_id)
  if (query.type === 'total') return filter ? countActivities(q, log, filter) : { total: 0 }
  if (!filter) return { count: 0, data: [] }
  const { rows, next } = await readActivities<Row>(q, log, filter, query.limit, from)
  return { count: rows.length, ...until(next), data: rows }
}
