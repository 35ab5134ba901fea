import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { fetchCommands } from './fetch.ts'
import { listCommands, listCommandsOfDevice } from './list.ts'
import { reportCommand } from './report.ts'
import { sendCommand } from './send.ts'
import type { WaitingPhones } from './waiting-phones.ts'

type Rows = 'listCommands' | 'listCommandsOfDevice' | 'sendCommand' | 'fetchCommands' | 'reportCommand'

/** What phones are told, from both sides. */
export const commandRoutes = (house: House, waiting: WaitingPhones): Handlers<Rows> => ({
  listCommands: listCommands(house),
  listCommandsOfDevice: listCommandsOfDevice(house),
  sendCommand: sendCommand(house),
  fetchCommands: fetchCommands(house, waiting),
  reportCommand,
})
