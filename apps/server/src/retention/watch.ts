import { ruleSpans } from '@custodia/domain'
import { type AlertIdentity, raiseAlert, settleAlert } from '../alerts/raise.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { isBehind, readClock } from './engine-store.ts'
import { countStaying, type BlockedCount } from './preview-store.ts'
import { allPolicies } from './store.ts'

const DAY = 86_400
/** Days that due payloads wait, or a pass takes, before an alert. */
const WAITS_DAYS = 7
const BEHIND_DAYS = 2
/** Reasons that need action. A hold is intended, and processing ends by itself. */
const WAITED_FOR = {
  receipts: 'receipts_missing',
  transfers: 'transfers_missing',
  sign_offs: 'sign_off_missing',
  late: 'not_written_off',
} as const satisfies Record<string, BlockedCount['reason']>

/** Raises a daily alert while due payloads wait too long or a pass does not end. */
export const watchRetention = periodicJob({
  name: 'retention.watch',
  every: DAY,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => alertOnRetention(tx))
  },
})

async function alertOnRetention(tx: Tx): Promise<void> {
  const versions = await allPolicies(tx)
  if (versions.length === 0) return
  const status = { spans: ruleSpans(versions), minimums: versions.at(-1)?.minimums ?? [] }
  const now = await readClock(tx)
  const staying = await countStaying(tx, status, now - WAITS_DAYS * DAY)
  const counts = Object.entries(WAITED_FOR).map(([name, waits]) => {
    const count = staying.reduce((sum, each) => sum + (each.reason === waits ? each.count : 0), 0)
    return [name, count] as const
  })
  await notify(
    tx,
    now,
    'retention_waits',
    counts.some(([, count]) => count > 0),
    { days: String(WAITS_DAYS), ...Object.fromEntries(counts.map(([name, count]) => [name, String(count)])) },
  )
  const behind = await isBehind(tx, now - BEHIND_DAYS * DAY)
  await notify(tx, now, 'retention_behind', behind, { days: String(BEHIND_DAYS) })
}

/** Raises or clears the alert. */
async function notify(
  tx: Tx,
  now: number,
  text: 'retention_waits' | 'retention_behind',
  isSo: boolean,
  values: Record<string, string>,
): Promise<void> {
  const event: AlertIdentity = {
    alert_scopes: ['ops'],
    alert_key: text,
    now,
  }
  if (!isSo) return settleAlert(tx, event)
  await raiseAlert(tx, {
    ...event,
    text,
    alert_type: 'AccountAlert',
    alert_severity: text === 'retention_behind' ? 'High' : 'Medium',
    related_entities: [{ entity_id: 'policy', entity_type: 'Retention' }],
    values,
  })
}
