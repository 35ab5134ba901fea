import type { AppContext } from '../app-context.ts'
import { marked, OPERATOR } from '../http/context.ts'
import { systemEntry } from '../http/system-entry.ts'
import { findRule, insertRule, lockRule } from './store.ts'

/** What it is called in the account's log. */
const LIFT = 'operator:lift_two_people'

/**
 * Switches off that two people decide, for an account of which no two are left who could: by the operator alone, who has the server, and with an entry in
 * the account's log that says why. An administrator of the provider who could would be the second person of every account. Resolves to whether it
 * was on.
 */
export async function disableDualControl(
  { db, audit, now }: Pick<AppContext, 'db' | 'audit' | 'now'>,
  { client_id, reason }: { client_id: number; reason: string },
): Promise<boolean> {
  return db.write(client_id, async (tx) => {
    await lockRule(tx)
    if (!(await findRule(tx))?.is_required) return false
    await insertRule(tx, { is_required: false, by: OPERATOR, confirmed_by: marked('nobody', 'system') })
    await audit.appendWithin(tx, systemEntry({ client_id }, { at: now(), by: OPERATOR }, LIFT, { reason }))
    return true
  })
}
