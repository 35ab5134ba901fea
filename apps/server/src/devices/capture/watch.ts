import type { GapReason } from '@custodia/contract'
import * as z from 'zod/mini'
import { raiseAlert, settleAlert } from '../../alerts/raise.ts'
import { listClients } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type ChangedGap, noteGaps } from './sweep-store.ts'

/** Users per transaction. */
const BATCH = 500

/** Compares the services of each user with what the devices record, stores gaps and raises alerts. */
export const watchCapture = jobKind({
  name: 'devices.capture',
  input: z.object({}),
  every: 600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) await watchCaptureOf(ctx, client_id, signal)
  },
})

/** Processes the users of one client. Each batch commits with its alerts, so an interrupted run loses nothing. */
export async function watchCaptureOf(
  { db }: Pick<AppContext, 'db'>,
  client_id: number,
  signal: AbortSignal,
  most = BATCH,
): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) {
    signal.throwIfAborted()
    const from: number = after
    after = await db.write(client_id, async (tx) => {
      const { begun, whole, next } = await noteGaps(tx, { after: from, most })
      for (const same of Map.groupBy(begun, (gap) =>
        JSON.stringify([gap.device_user_id, gap.reason]),
      ).values())
        await alertOn(tx, same as [ChangedGap, ...ChangedGap[]])
      for (const person of whole)
        await settleAlert(tx, { ...alertOf(person.device_user_reference), now: person.now })
      return next
    })
  }
}

const alertOf = (device_user_reference: string) =>
  ({
    alert_targets: ['client'],
    alert_scopes: ['ops'],
    alert_key: `device user capture ${device_user_reference}`,
  }) as const

const TEXTS = {
  no_phone: 'capture_no_phone',
  unlicensed: 'capture_unlicensed',
  silent: 'capture_silent',
  service_off: 'capture_service_off',
  not_allowed: 'capture_not_allowed',
  no_device_admin: 'capture_no_device_admin',
  no_sim: 'capture_no_sim',
  brings_nothing: 'capture_brings_nothing',
} as const satisfies Record<GapReason, string>

/** Raises one occurrence for all services that a user lacks for the same reason. */
async function alertOn(tx: Tx, gaps: [ChangedGap, ...ChangedGap[]]): Promise<void> {
  const [{ device_user_reference, device_reference, reason, group_id, now }] = gaps
  await raiseAlert(tx, {
    ...alertOf(device_user_reference),
    alert_type: 'DeviceUserAlert',
    alert_key_type: 'Scoped',
    text: TEXTS[reason],
    values: {
      device_user_reference,
      device_reference: device_reference ?? '',
      services: gaps.map(({ service }) => service).join(', '),
    },
    alert_severity: 'Medium',
    related_entities: [
      { entity_id: device_user_reference, entity_type: 'DeviceUser' },
      ...(device_reference === null ? [] : [{ entity_id: device_reference, entity_type: 'Device' as const }]),
    ],
    group_id,
    now,
  })
}
