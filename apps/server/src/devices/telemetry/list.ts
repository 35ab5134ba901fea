import type { TelemetryRow } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { conditionsOf } from './concerns.ts'
import { LATEST_LIST, TELEMETRY_LIST } from './telemetry-store.ts'

type Cursors = Pick<AppContext, 'cursors' | 'now'>

/** Lists telemetry in the caller's groups, newest first, or counts it. */
export const listTelemetry =
  ({ cursors, now }: Cursors): Handler<'listTelemetry'> =>
  (context, { query }) => {
    const { device_reference, device_user_reference, latest } = query
    return listReports<TelemetryRow>(context, {
      cursors,
      now,
      name: 'telemetry',
      action: 'telemetry:list',
      query,
      of: latest ? LATEST_LIST : TELEMETRY_LIST,
      conditions: [
        ...conditionsOf(query),
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

/** Lists telemetry of a device. Problem: not_found when the caller sees neither the device nor a report. */
export const listTelemetryOfDevice =
  ({ cursors, now }: Cursors): Handler<'listTelemetryOfDevice'> =>
  (context, { params: { device_reference }, query }) =>
    listReports<TelemetryRow>(context, {
      cursors,
      now,
      name: `telemetry of ${device_reference}`,
      action: 'devices.telemetry:list',
      query,
      of: TELEMETRY_LIST,
      conditions: conditionsOf(query),
      subject: (q) => findGroupOfDevice(q, device_reference),
    })
