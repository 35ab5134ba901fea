import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type ChangedStatus,
  type OffboardedQueue,
  type Status,
  noteOffboardedQueues,
  noteStatuses,
} from './status-store.ts'

/** Compares the devices of users with the expected ones and raises alerts. */
export const watchStatuses = periodicJob({
  name: 'device-users.status',
  every: 600,
  run: (ctx) => noteUntilUnchanged(ctx, noteStatuses, alertOnStatus),
})

/** Seconds after offboarding in which devices may upload their queue. */
export const QUEUE_GRACE_SECONDS = 86_400

/** Raises alerts for offboarded users whose devices still hold payloads; clears them when none is left. */
export const watchOffboarded = periodicJob({
  name: 'device-users.offboarded',
  every: 600,
  run: (ctx) =>
    noteUntilUnchanged(ctx, (tx, now) => noteOffboardedQueues(tx, now - QUEUE_GRACE_SECONDS), alertOnQueue),
})

/** Stores changes of each client in batches, each with its alerts, until there are none. */
async function noteUntilUnchanged<Changed>(
  { db, now: clock }: Pick<AppContext, 'db' | 'now'>,
  note: (tx: Tx, now: number) => Promise<readonly Changed[]>,
  alertOn: (tx: Tx, changed: Changed, now: number) => Promise<void>,
): Promise<void> {
  for (const { client_id } of await listClients(db)) {
    let changed: number
    do {
      changed = await db.write(client_id, async (tx) => {
        const now = clock()
        const found = await note(tx, now)
        for (const each of found) await alertOn(tx, each, now)
        return found.length
      })
    } while (changed > 0)
  }
}

const TEXTS = {
  fewer: { text: 'user_has_fewer', alert_severity: 'Low', alert_scopes: ['ops'] },
  more: { text: 'user_has_more', alert_severity: 'Medium', alert_scopes: ['ops'] },
  recording: { text: 'offboarded_records', alert_severity: 'High', alert_scopes: ['ops', 'sec'] },
} as const satisfies Record<Status, Pick<AlertEvent, 'text' | 'alert_severity' | 'alert_scopes'>>

async function alertOnStatus(tx: Tx, changed: ChangedStatus, now: number): Promise<void> {
  const { device_user_reference, group_id, status, actual, expected_device_count } = changed
  if (status === null) return
  await raiseAlert(tx, {
    ...TEXTS[status],
    alert_type: 'DeviceUserAlert',
    alert_key: `device user ${status} ${device_user_reference}`,
    values: { device_user_reference, actual: String(actual), expected: String(expected_device_count) },
    related_entities: [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
    now,
  })
}

async function alertOnQueue(tx: Tx, offboarded: OffboardedQueue, now: number): Promise<void> {
  const { device_user_reference, group_id, reported_queue, waiting, unseen } = offboarded
  const alert = {
    alert_scopes: ['ops'],
    alert_key: `device user queue ${device_user_reference}`,
    now,
  } as const
  if (!reported_queue) return settleAlert(tx, alert)
  await raiseAlert(tx, {
    ...alert,
    alert_type: 'DeviceUserAlert',
    text: 'offboarded_queue',
    values: { device_user_reference, waiting: String(waiting), unseen: String(unseen) },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
  })
}
