import * as z from 'zod/mini'
import { raiseAlert, settleAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type OffboardedQueue, noteOffboardedQueues } from './queue-store.ts'

/** Seconds after offboarding in which devices may upload their queue. */
export const QUEUE_GRACE_SECONDS = 86_400

/** Raises alerts for offboarded users whose devices still hold payloads; clears them when none is left. */
export const watchOffboarded = jobKind({
  name: 'device-users.leavers',
  input: z.object({}),
  every: 600,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db)) {
      let changed: number
      do {
        changed = await ctx.db.write(client_id, async (tx) => {
          const now = ctx.now()
          const found = await noteOffboardedQueues(tx, now - QUEUE_GRACE_SECONDS)
          for (const each of found) await alertOn(tx, each, now)
          return found.length
        })
      } while (changed > 0)
    }
  },
})

async function alertOn(tx: Tx, offboarded: OffboardedQueue, now: number): Promise<void> {
  const { device_user_reference, group_id, reported_queue, waiting, unseen } = offboarded
  const alert = {
    alert_targets: ['client'],
    alert_scopes: ['ops'],
    alert_key: `device user queue ${device_user_reference}`,
    now,
  } as const
  if (!reported_queue) return settleAlert(tx, alert)
  await raiseAlert(tx, {
    ...alert,
    alert_type: 'DeviceUserAlert',
    alert_key_type: 'Scoped',
    text: 'leaver_queue',
    values: { device_user_reference, waiting: String(waiting), unseen: String(unseen) },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
  })
}
