import type { Silence } from '@custodia/contract'
import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import type { AuditEntry } from '../http/context.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type ChangedSilence,
  type DeactivatedDevice,
  deactivateSilent,
  noteSilences,
} from './silence-store.ts'

/** Devices per transaction. */
const BATCH = 500

/** Raises one alert per silence: for devices without contact and for devices that upload nothing. */
export const watchSilence = periodicJob({
  name: 'devices.silence',
  every: 600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) await watchSilenceOf(ctx, client_id, signal)
  },
})

/** Processes the devices of one client. Each batch commits with its alerts, so an interrupted run loses nothing. */
export async function watchSilenceOf(
  { db }: Pick<AppContext, 'db'>,
  client_id: number,
  signal: AbortSignal,
  most = BATCH,
): Promise<void> {
  let found: ChangedSilence[]
  let after = 0
  do {
    signal.throwIfAborted()
    found = await db.write(client_id, async (tx) => {
      const changed = await noteSilences(tx, { after, most })
      for (const device of changed) await alertOn(tx, device)
      return changed
    })
    after = found.at(-1)?.device_id ?? 0
  } while (found.length === most)
}

/** One alert covers a deepening silence; another covers devices that are in contact. */
const ALERTS = {
  silent: { about: 'silence', text: 'device_silent', alert_severity: 'Medium' },
  long_silent: { about: 'silence', text: 'device_silent', alert_severity: 'High' },
  silent_but_alive: { about: 'quiet', text: 'device_no_uploads', alert_severity: 'Medium' },
} as const satisfies Record<Silence, Pick<AlertEvent, 'text' | 'alert_severity'> & { about: string }>

async function alertOn(tx: Tx, device: ChangedSilence): Promise<void> {
  const { device_reference, device_user_reference, silence, silence_before, now } = device
  const alert = (about: string) =>
    ({
      alert_scopes: ['ops'],
      alert_key: `device ${about} ${device_reference}`,
      now,
    }) as const
  const before = silence_before && ALERTS[silence_before].about
  if (before && (silence === null || ALERTS[silence].about !== before)) await settleAlert(tx, alert(before))
  if (silence === null) return
  const { about, ...result } = ALERTS[silence]
  await raiseAlert(tx, {
    ...alert(about),
    ...result,
    alert_type: 'DeviceAlert',
    values: {
      device_reference,
      unseen: getHours(device.unseen),
      quiet: getHours(device.quiet),
      usual: getHours(device.usual_gap),
    },
    related_entities: [
      { entity_id: device_reference, entity_type: 'Device' },
      ...(device_user_reference === null
        ? []
        : [{ entity_id: device_user_reference, entity_type: 'DeviceUser' as const }]),
    ],
    group_id: device.group_id,
  })
}

const getHours = (seconds: number): string => String(Math.round(seconds / 3600))

const DAY = 86_400

/** Deactivates inactive devices; the next authentication reactivates them. */
export const deactivateInactive = periodicJob({
  name: 'devices.inactivity',
  every: 3600,
  async run(ctx, _input, signal) {
    for (const client of await listClients(ctx.db)) await deactivateInactiveOf(ctx, client, signal)
  },
})

/** Processes the devices of one client. Each batch commits with its entries, so an interrupted run loses nothing. */
export async function deactivateInactiveOf(
  ctx: Pick<AppContext, 'db' | 'audit' | 'config'>,
  client: { client_id: number; client: string },
  signal: AbortSignal,
  most = BATCH,
): Promise<void> {
  const days = ctx.config.deviceInactiveDays
  let found: DeactivatedDevice[]
  let after = 0
  do {
    signal.throwIfAborted()
    found = await ctx.db.write(client.client_id, async (tx) => {
      const silenced = await deactivateSilent(tx, { silent_for: days * DAY, after, most })
      await ctx.audit.appendWithin(tx, ...silenced.map((device) => getEntry(device, client, days)))
      return silenced
    })
    after = found.at(-1)?.device_id ?? 0
  } while (found.length === most)
}

function getEntry(
  { deactivation_date: at, ...device }: DeactivatedDevice,
  client: { client_id: number; client: string },
  days: number,
): AuditEntry {
  const log_id = newLogId()
  return {
    log_id,
    caller: { kind: 'device', ...client, ...device },
    // A job has no caller.
    ip: '',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action: 'inactivity',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: { device_reference: device.device_reference, days } }, []),
    status_code: 200,
    request_id: log_id,
  }
}
