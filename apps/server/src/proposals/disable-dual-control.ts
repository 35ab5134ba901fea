import type { AppContext } from '../app-context.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { marked, OPERATOR } from '../http/context.ts'
import { findRule, insertRule, lockRule } from './store.ts'

/** Its action in the account's log. */
const LIFT = 'operator:lift_two_people'

/**
 * Disables dual control for an account that has fewer than two people with the rights. Only the operator can do this,
 * on the server, and the account's log records the reason. Resolves to whether dual control was enabled.
 */
export async function disableDualControl(
  { db, audit, now }: Pick<AppContext, 'db' | 'audit' | 'now'>,
  { client_id, reason }: { client_id: number; reason: string },
): Promise<boolean> {
  return db.write(client_id, async (tx) => {
    await lockRule(tx)
    if (!(await findRule(tx))?.is_required) return false
    await insertRule(tx, { is_required: false, by: OPERATOR, confirmed_by: marked('unconfirmed', 'system') })
    await audit.appendWithin(tx, systemEntry({ client_id }, { at: now(), by: OPERATOR }, LIFT, { reason }))
    return true
  })
}
