import type { CommandInput, REPORTED_STATES } from '@custodia/contract'
import { ulid } from 'ulid'
import { insertCommand, moveCommand } from '../devices/commands/command-store.ts'
import { listDevices } from '../devices/fleet/fleet-store.ts'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'

/** The result of a demo command: the phone's answer, and the seconds after which it came. */
interface Story {
  command: CommandInput
  raised_by: string
  /** Seconds before now at which it was sent. */
  ago: number
  stated: readonly (readonly [state: (typeof REPORTED_STATES)[number], after: number, message?: string])[]
}

const HOUR = 3600
const STORIES: readonly Story[] = [
  {
    command: { command: 'sync_data', params: {} },
    raised_by: 'alice',
    ago: 74 * HOUR,
    stated: [
      ['Acknowledged', 2],
      ['Completed', 19, '3 handed over, 0 waiting, 0 refused'],
    ],
  },
  {
    command: { command: 'diagnostics_upload', params: {} },
    raised_by: 'alice',
    ago: 50 * HOUR,
    stated: [['Completed', 8]],
  },
  {
    command: { command: 'sms_auto_response', params: { text: 'I am in a meeting and call you back.' } },
    raised_by: 'alice',
    ago: 27 * HOUR,
    stated: [
      ['Acknowledged', 1],
      ['Failed', 2, 'Another app answers text messages on this phone.'],
    ],
  },
  // Its phone is switched off.
  { command: { command: 'sync_data', params: {} }, raised_by: 'alice', ago: 5 * HOUR, stated: [] },
]

/** Commands of the last days to phones of an account of the demo, as its people would have sent them. */
export async function seedDemoCommands(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  client: string,
): Promise<void> {
  const account = await findClient(db, client)
  if (!account) return
  await db.write(account.client_id, async (tx) => {
    const devices = await listDevices(tx, { reach: 'all', now: now() }, { after: '', limit: STORIES.length })
    for (const [i, { command, raised_by, ago, stated }] of STORIES.entries()) {
      const device = devices[i]
      if (!device) return
      const sent_at = now() - ago
      const command_reference = ulid(sent_at * 1000)
      await insertCommand(tx, device, command, { command_reference, raised_by, sent_at })
      for (const [state, after, message = null] of stated)
        await moveCommand(
          tx,
          { device_id: device.device_id, command_reference },
          { state, message, now: sent_at + after },
        )
    }
  })
}
