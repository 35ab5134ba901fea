import type { CommandInput, CommandName } from '@custodia/contract'
import { fleetApi } from '../../api/fleet-api.ts'

/** What is typed in the dialog; dates as `YYYY-MM-DD` of the reader's calendar, empty: open. */
export interface CommandDraft {
  command: CommandName | null
  text: string
  from: string
  to: string
}

/** The command as the server takes it. */
export function commandOf({ command, text, from, to }: CommandDraft): CommandInput {
  switch (command) {
    case null:
      throw new Error('no command was chosen')
    case 'sms_auto_response':
      return { command, params: { text: text.trim() === '' ? null : text.trim() } }
    case 'reupload_sms_messages':
      return {
        command,
        params: {
          ...(from && { from: midnight(from) }),
          // The day itself belongs to it.
          ...(to && { to: midnight(to, 1) }),
        },
      }
    default:
      return { command, params: {} }
  }
}

/** Epoch seconds of a day's beginning where the reader is, `later` days after it. */
function midnight(day: string, later = 0): number {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return Math.floor(at.getTime() / 1000)
}

/** What became of sending to one phone. */
export interface SendOutcome {
  device_reference: string
  /** Why it was not sent; absent: it was. */
  failure?: unknown
}

/** Calls under way at a time: a hundred phones are no flood. */
const AT_ONCE = 4

/** Sends a command to each of these phones by itself; one that is refused holds up no other. */
export async function sendToAll(
  device_references: readonly string[],
  body: CommandInput,
): Promise<SendOutcome[]> {
  const outcomes = device_references.map((device_reference): SendOutcome => ({ device_reference }))
  const waiting = outcomes.values()
  const worker = async () => {
    for (const outcome of waiting) {
      const { device_reference } = outcome
      await fleetApi
        .sendCommand({ params: { device_reference }, query: {}, body })
        .catch((error: unknown) => {
          outcome.failure = error
        })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcomes
}
