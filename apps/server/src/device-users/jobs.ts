import * as z from 'zod/mini'
import type { AlertEvent } from '../alerts/raise.ts'
import { raiseAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type ChangedStanding, noteStandings, type Standing } from './standing-store.ts'

/** Holds the phones that people carry against those that they should, and tells once of what is amiss. */
export const watchStandings = jobKind({
  name: 'device-users.standings',
  input: z.object({}),
  every: 600,
  async run(house) {
    for (const { client_id } of await listClients(house.db)) {
      let changed: number
      do {
        changed = await house.db.write(client_id, async (tx) => {
          const now = house.now()
          const found = await noteStandings(tx, now)
          for (const each of found) await tellOf(tx, each, now)
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
} as const satisfies Record<Standing, Pick<AlertEvent, 'text' | 'alert_severity' | 'alert_scopes'>>

async function tellOf(tx: Tx, changed: ChangedStanding, now: number): Promise<void> {
  const { device_user_reference, group_id, standing, actual, expected_device_count } = changed
  if (standing === null) return
  await raiseAlert(tx, {
    ...TEXTS[standing],
    alert_type: 'DeviceUserAlert',
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: `device user ${standing} ${device_user_reference}`,
    values: { device_user_reference, actual: String(actual), expected: String(expected_device_count) },
    related_entities: [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
    now,
  })
}
