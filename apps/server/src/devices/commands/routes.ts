import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { fetchCommands } from './fetch.ts'
import { listCommands, listCommandsOfDevice } from './list.ts'
import { reportCommand } from './report.ts'
import { sendCommand } from './send.ts'
import type { WaitingPhones } from './waiting-phones.ts'

type Rows = 'listCommands' | 'listCommandsOfDevice' | 'sendCommand' | 'fetchCommands' | 'reportCommand'

/** Command routes of devices and the portal. */
export const commandRoutes = (ctx: AppContext, waiting: WaitingPhones): Handlers<Rows> => ({
  listCommands: listCommands(ctx),
  listCommandsOfDevice: listCommandsOfDevice(ctx),
  sendCommand: sendCommand(ctx),
  fetchCommands: fetchCommands(ctx, waiting),
  reportCommand,
})
