import type { CommandInput, CommandName } from '@custodia/contract'
import { fleetApi } from '../../api/fleet-api.ts'

/** Form state; dates as `YYYY-MM-DD` in the user's zone, empty: open. */
export interface CommandDraft {
  command: CommandName | null
  text: string
  from: string
  to: string
}

/** API input of the command. */
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
          // The end day is included.
          ...(to && { to: midnight(to, 1) }),
        },
      }
    default:
      return { command, params: {} }
  }
}

/** Start of a local day in epoch seconds, `later` days after it. */
function midnight(day: string, later = 0): number {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return Math.floor(at.getTime() / 1000)
}

/** Outcome for one device. */
export interface SendOutcome {
  device_reference: string
  /** Reason of a failure; absent: sent. */
  failure?: unknown
}

/** Maximum parallel calls. */
const AT_ONCE = 4

/** Sends a command to each device; a failure does not stop the others. */
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
