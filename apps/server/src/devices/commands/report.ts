import type { Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { moveCommand } from './command-store.ts'

/**
 * What a phone says of a command of its own. Said again, or after the command has ended, it changes nothing: the answer tells how it
 * stands. Problem: not_found, for another phone's as well.
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
