import {
  type PayloadRetention,
  type PayloadType,
  RETENTION_TEMPLATES,
  type RetentionEntry,
} from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { findPolicy, insertPolicy, lockPolicies } from '../retention/store.ts'

const [{ rule: RULE, days: FIVE_YEARS, payload_types: COMMUNICATIONS }] = RETENTION_TEMPLATES

/**
 * Communication is kept for five years, and restorable for thirty more days; picture messages are destroyed at once,
 * device fault reports after ninety days.
 */
const ENTRIES: RetentionEntry[] = [
  ...COMMUNICATIONS.map((type) => entry(type, FIVE_YEARS, type === 'MMS' ? 0 : 30)),
  entry('Diagnostics', 90, 30),
  { entity_type: 'Device', delete_after_days: 2557, destroy_after_days: 30 },
]

function entry(
  payload_type: PayloadType,
  delete_after_days: number,
  destroy_after_days: number,
): PayloadRetention {
  return {
    entity_type: 'Payload',
    payload_type,
    delete_after_days,
    destroy_after_days,
    retention_timestamp: 'payload_time',
    required_receipts: [],
    required_transfers: [],
  }
}

/** The policy of the demo, in two versions, unless the client has one. */
export async function seedRetention(ctx: Pick<AppContext, 'db'>, client_id: number): Promise<void> {
  await ctx.db.write(client_id, async (tx) => {
    await lockPolicies(tx)
    if (await findPolicy(tx)) return
    const minimums = ['Call', 'SMS'] as const
    const policy = {
      minimums: minimums.map((payload_type) => ({
        payload_type,
        days: FIVE_YEARS,
        legal_basis: RULE,
      })),
      applies_to_kept: true,
      by: 'alice',
      confirmed_by: null,
    }
    await insertPolicy(tx, {
      ...policy,
      entries: ENTRIES.slice(0, -2),
      note: 'Company rules, first version',
    })
    await insertPolicy(tx, { ...policy, entries: ENTRIES, note: 'Diagnostics and devices, too' })
  })
}
