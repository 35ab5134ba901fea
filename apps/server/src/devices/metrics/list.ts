import type { DeviceMetric } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { metricList, ofTypes, withinLanes } from './metric-store.ts'
import { periodsWithin } from './periods.ts'

/** Lists uploads by period in the caller's groups and types, newest first. */
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

        // With both filters the list scans the device index and checks the holder at that time.
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
