import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import type { AuditEntry } from '../http/context.ts'
import { jobKind } from '../jobs/kind.ts'
import { deactivateSilent, type DeactivatedDevice } from './inactivity-store.ts'

const DAY = 86_400
/** Devices per transaction. */
const BATCH = 500

/** Deactivates inactive devices; the next authentication reactivates them. */
export const deactivateInactive = jobKind({
  name: 'devices.inactivity',
  input: z.object({}),
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
      await ctx.audit.appendWithin(tx, ...silenced.map((phone) => entryOf(phone, client, days)))
      return silenced
    })
    after = found.at(-1)?.device_id ?? 0
  } while (found.length === most)
}

function entryOf(
  { deactivation_date: at, ...phone }: DeactivatedDevice,
  client: { client_id: number; client: string },
  days: number,
): AuditEntry {
  const log_id = newLogId()
  return {
    log_id,
    caller: { kind: 'device', ...client, ...phone },
    // A job has no caller.
    ip: '',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action: 'inactivity',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: { device_reference: phone.device_reference, days } }, []),
    status_code: 200,
    request_id: log_id,
  }
}
