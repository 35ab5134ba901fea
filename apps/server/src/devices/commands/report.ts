import type { Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { moveCommand } from './command-store.ts'

/**
 * Stores a device's report on its command and returns the state. A repeated or late report changes nothing. Problem:
 * not_found.
 */
export const reportCommand: Handler<'reportCommand'> = (
  context,
  { params: { command_reference }, body: { state, message = null } },
) =>
  context.write(async (tx) => {
    const { device_id } = context.caller
    const command = { device_id, command_reference }
    const reached = await moveCommand(tx, command, { state, message, now: context.now })
    if (reached === undefined) throw new Problem('not_found', { detail: 'no command of this device' })
    return { command_reference, state: reached }
  })
