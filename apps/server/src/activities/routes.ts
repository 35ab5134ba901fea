import type {
  DeviceActivity,
  DeviceActivityQuery,
  PortalActivity,
  PortalActivityQuery,
} from '@custodia/contract'
import type { House } from '../house.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { placesOf } from '../http/page.ts'
import { resolveFilter } from './filter.ts'
import { type ActivityLog, DEVICE_LOG, PORTAL_LOG } from './logs.ts'
import { type ActivityKey, countActivities, readActivities } from './store.ts'

/** The audit trails, as far as the caller's groups reach. */
export const activityRoutes = (
  house: Pick<House, 'cursors'>,
): Handlers<'listActivities' | 'listDeviceActivities'> => ({
  listActivities: (context, { query }) =>
    list<PortalActivity>(house, context, PORTAL_LOG, 'activities:list', query),
  listDeviceActivities: (context, { query }) =>
    list<DeviceActivity>(house, context, DEVICE_LOG, 'device_activities:list', query),
})

async function list<Row extends PortalActivity | DeviceActivity>(
  { cursors }: Pick<House, 'cursors'>,
  { caller, read }: PortalContext,
  log: ActivityLog,
  action: string,
  query: PortalActivityQuery | DeviceActivityQuery,
) {
  const { client_id } = caller
  const { from, until } = placesOf<ActivityKey>(cursors, { name: action, client_id, query })
  return read(async (q) => {
    const filter = resolveFilter(log, caller, action, query)
    if (query.type === 'total') return filter ? countActivities(q, log, filter) : { total: 0 }
    if (!filter) return { count: 0, data: [] }
    const { rows, next } = await readActivities<Row>(q, log, filter, query.limit, from)
    return { count: rows.length, ...until(next), data: rows }
  })
}
