import type { Api, DeviceLog, HandlerInput } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports, type ReportList, whereIn } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { LOG_LIST, logsOfLevels } from './log-store.ts'

type Cursors = Pick<AppContext, 'cursors' | 'now'>
type Filter = Pick<HandlerInput<Api['listDeviceLogs']>['query'], 'levels' | 'log_class' | 'payload_reference'>

/** Lists the logs of devices in the caller's groups, newest first, or counts them. */
export const listDeviceLogs =
  ({ cursors, now }: Cursors): Handler<'listDeviceLogs'> =>
  (context, { query }) => {
    const { device_reference, device_user_reference } = query
    const filters = filtersOf(query)
    return listReports<DeviceLog>(context, {
      cursors,
      now,
      name: 'device_logs',
      action: 'device_logs:list',
      query,
      // A device or user has few logs: their own index finds them.
      ...(device_reference === undefined && device_user_reference === undefined
        ? logsOfLevels(query.levels)
        : { of: LOG_LIST }),
      ...filters,
      conditions: [
        ...filters.conditions,
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

/** Lists logs of a device. Problem: not_found when the caller sees neither the device nor a log. */
export const listLogsOfDevice =
  ({ cursors, now }: Cursors): Handler<'listLogsOfDevice'> =>
  (context, { params: { device_reference }, query }) =>
    listReports<DeviceLog>(context, {
      cursors,
      now,
      name: `logs of ${device_reference}`,
      action: 'devices.logs:list',
      query,
      of: LOG_LIST,
      ...filtersOf(query),
      subject: (q) => findGroupOfDevice(q, device_reference),
    })

/** Lists logs of a user's devices. Problem: not_found when the caller sees neither the user nor a log. */
export const listLogsOfUser =
  ({ cursors, now }: Cursors): Handler<'listLogsOfUser'> =>
  (context, { params: { device_user_reference }, query }) =>
    listReports<DeviceLog>(context, {
      cursors,
      now,
      name: `logs of user ${device_user_reference}`,
      action: 'users.logs:list',
      query,
      of: LOG_LIST,
      ...filtersOf(query),
      subject: (q) => findUser(q, device_user_reference),
    })

/** Filters that all three lists share. */
const filtersOf = ({
  levels,
  log_class,
  payload_reference,
}: Filter): Pick<ReportList, 'conditions' | 'walked'> => ({
  conditions: [
    ...whereIn('log_level', levels),
    ...whereIn('log_class', log_class === undefined ? undefined : [log_class]),
  ],
  ...(payload_reference !== undefined && {
    walked: { column: 'payload_reference', cast: 'text', values: [payload_reference] },
  }),
})
