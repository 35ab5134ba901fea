import * as z from 'zod/mini'
import type { AlertEvent } from '../alerts/raise.ts'
import { raiseAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type ChangedStatus, noteStatuses, type Status } from './status-store.ts'

/** Compares the devices of users with the expected ones and raises alerts. */
export const watchStatuses = jobKind({
  name: 'device-users.standings',
  input: z.object({}),
  every: 600,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db)) {
      let changed: number
      do {
        changed = await ctx.db.write(client_id, async (tx) => {
          const now = ctx.now()
          const found = await noteStatuses(tx, now)
          for (const each of found) await alertOn(tx, each, now)
          return found.length
        })
      } while (changed > 0)
    }
  },
})

const TEXTS = {
  fewer: { text: 'user_has_fewer', alert_severity: 'Low', alert_scopes: ['ops'] },
  more: { text: 'user_has_more', alert_severity: 'Medium', alert_scopes: ['ops'] },
  recording: { text: 'leaver_records', alert_severity: 'High', alert_scopes: ['ops', 'sec'] },
} as const satisfies Record<Status, Pick<AlertEvent, 'text' | 'alert_severity' | 'alert_scopes'>>

async function alertOn(tx: Tx, changed: ChangedStatus, now: number): Promise<void> {
  const { device_user_reference, group_id, status, actual, expected_device_count } = changed
  if (status === null) return
  await raiseAlert(tx, {
    ...TEXTS[status],
    alert_type: 'DeviceUserAlert',
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: `device user ${status} ${device_user_reference}`,
    values: { device_user_reference, actual: String(actual), expected: String(expected_device_count) },
    related_entities: [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
    now,
  })
}
