import type { Api, DeviceLog, HandlerInput } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports, type ReportList, whereIn } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { LOG_LIST, logsOfLevels } from './log-store.ts'

type Cursors = Pick<AppContext, 'cursors' | 'now'>
type Narrowed = Pick<
  HandlerInput<Api['listDeviceLogs']>['query'],
  'levels' | 'log_class' | 'payload_reference'
>

/** What phones have logged in the caller's groups, newest first, or how much. */
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
      // Of a phone or a person there are few: their own index finds them.
      ...(device_reference === undefined && device_user_reference === undefined
        ? logsOfLevels(query.levels)
        : { of: LOG_LIST }),
      ...filters,
      conditions: [
        ...filters.conditions,
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

/** What one phone has logged. Problem: not_found, where the caller sees neither the phone nor a log of it. */
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

/** What somebody's phones have logged. Problem: not_found, where the caller sees neither the person nor such a log. */
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

/** The filters that all three have; what is about one recording is looked for by its reference. */
const filtersOf = ({
  levels,
  log_class,
  payload_reference,
}: Narrowed): Pick<ReportList, 'conditions' | 'walked'> => ({
  conditions: [
    ...whereIn('log_level', levels),
    ...whereIn('log_class', log_class === undefined ? undefined : [log_class]),
  ],
  ...(payload_reference !== undefined && {
    walked: { column: 'payload_reference', cast: 'text', values: [payload_reference] },
  }),
})
