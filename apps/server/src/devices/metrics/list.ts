import type { DeviceMetric } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { metricList, ofTypes, withinLanes } from './metric-store.ts'
import { periodsWithin } from './periods.ts'

/** How much phones have handed over in the caller's groups and types, by span of time, newest first. */
export const listMetrics =
  ({ cursors, now }: Pick<AppContext, 'cursors' | 'now'>): Handler<'listMetrics'> =>
  async (context, { params: { scope }, query }) => {
    const { device_reference, device_user_reference, payload_types } = query
    return listReports<DeviceMetric>(context, {
      cursors,
      now,
      name: `metrics ${scope}`,
      action: context.action,
      query,
      range: periodsWithin(scope, query),
      of: metricList(scope),
      conditions: [
        ...(payload_types ? [ofTypes(payload_types)] : []),
        ...withinLanes(context.caller.access.lanes(context.action)),

        // Of a phone: whoever held it then. The list is walked by the phone.
        ...(device_reference !== undefined && device_user_reference !== undefined
          ? [heldBy(device_user_reference)]
          : []),
      ],
      narrowed:
        device_reference !== undefined
          ? (q) => findGroupOfDevice(q, device_reference)
          : device_user_reference !== undefined
            ? (q) => findUser(q, device_user_reference)
            : undefined,
    })
  }
