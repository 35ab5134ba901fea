/** The life of a command to a device (spec section 4). The database enforces the same table; a test of the server compares the two. */
import { COMMAND_STATES, type CommandState } from '@custodia/contract'

/** From each state, where it may go: the answer that says `Acknowledged` may be lost. */
export const COMMAND_TRANSITIONS: Readonly<Record<CommandState, readonly CommandState[]>> = {
  Sent: ['Acknowledged', 'Completed', 'Failed'],
  Acknowledged: ['Completed', 'Failed'],
  Completed: [],
  Failed: [],
}

/** States from which a command may reach this one. Staying in a state is no move. */
export const commandStatesBefore = (to: CommandState): CommandState[] =>
  COMMAND_STATES.filter((from) => COMMAND_TRANSITIONS[from].includes(to))

/** States in which the device still has something to do. */
export const OPEN_COMMAND_STATES: readonly CommandState[] = COMMAND_STATES.filter(
  (state) => COMMAND_TRANSITIONS[state].length > 0,
)
