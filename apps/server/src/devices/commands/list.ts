import type { Api, DeviceCommand, HandlerInput } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { listReports, type ReportList, whereIn } from '../report-list.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import { COMMAND_LIST } from './command-store.ts'

type Cursors = Pick<AppContext, 'cursors' | 'now'>
type Filter = Pick<HandlerInput<Api['listCommands']>['query'], 'commands' | 'states' | 'raised_by'>

/** Lists commands to devices in the caller's groups, newest first, or counts them. */
export const listCommands =
  ({ cursors, now }: Cursors): Handler<'listCommands'> =>
  (context, { query }) => {
    const { device_reference } = query
    return listReports<DeviceCommand>(context, {
      cursors,
      now,
      name: 'commands',
      action: 'commands:list',
      query,
      of: COMMAND_LIST,
      conditions: conditionsOf(query),
      narrowed: device_reference === undefined ? undefined : (q) => findGroupOfDevice(q, device_reference),
    })
  }

/** Lists commands to one device. Problem: not_found when the caller sees neither the device nor a command. */
export const listCommandsOfDevice =
  ({ cursors, now }: Cursors): Handler<'listCommandsOfDevice'> =>
  (context, { params: { device_reference }, query }) =>
    listReports<DeviceCommand>(context, {
      cursors,
      now,
      name: `commands of ${device_reference}`,
      action: 'devices.commands:list',
      query,
      of: COMMAND_LIST,
      conditions: conditionsOf(query),
      subject: (q) => findGroupOfDevice(q, device_reference),
    })

const conditionsOf = ({ commands, states, raised_by }: Filter): ReportList['conditions'] => [
  ...whereIn('command', commands),
  ...whereIn('state', states),
  ...whereIn('raised_by', raised_by === undefined ? undefined : [raised_by]),
]
