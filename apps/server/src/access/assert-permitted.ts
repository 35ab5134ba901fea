import type { AccessImpact, Excess } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import { actorOf, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Changer } from './judge.ts'

/** Rows of an excess that an alert spells out. */
const NAMED = 5

/** Whoever makes this call, as far as rights are judged. */
export const changerOf = ({ caller, ip }: Pick<PortalContext, 'caller' | 'ip'>): Changer => ({
  ...caller,
  ip,
})

/** Refuses callers who have the action for some groups only: things that belong to no group are not theirs. */
export function assertGroupless({ caller }: Pick<PortalContext, 'caller'>, action: string): void {
  if (!caller.access.allowsGroupless(action))
    throw new Problem('not_permitted', { detail: `no role permits ${action} where no group is concerned` })
}

/**
 * Holds a save against what it means for rights, in its transaction. What grants more than the caller has needs
 * `access:escalate` and raises a High security alert. Problems: locks_out, escalation.
 * @param what for the alert, such as `saved the role Desk Head`
 */
export async function assertPermitted(
  context: PortalContext,
  tx: Tx,
  impact: AccessImpact,
  { what, confirm_lockout }: { what: string; confirm_lockout: boolean | undefined },
): Promise<void> {
  if (impact.escalations.length > 0 && !impact.may_escalate)
    throw new Problem('escalation', { detail: `${what}: ${described(impact.escalations)}` })
  if (impact.locks_out && !confirm_lockout) throw new Problem('locks_out', { detail: what })
  if (impact.escalations.length > 0) await alertOf(context, tx, what, impact.escalations)
}

function alertOf(
  { caller, now }: PortalContext,
  tx: Tx,
  what: string,
  excesses: readonly Excess[],
): Promise<void> {
  const user = actorOf(caller)
  return raiseAlert(tx, {
    client_id: caller.client_id,
    alert_scope: 'sec',
    alert_type: 'PortalUserAlert',
    alert_key: `escalation ${user}`,
    alert_subject: `${user} granted rights beyond their own`,
    alert_message: `${user} ${what}, which grants beyond their own rights: ${described(excesses)}`,
    alert_severity: 'High',
    related_entities: [{ entity_id: caller.user_reference, entity_type: 'PortalUser' }],
    now,
  })
}

function described(excesses: readonly Excess[]): string {
  const named = excesses.slice(0, NAMED).map(({ action, groups }) => {
    if (groups.is_all) return `${action} in all groups`
    return groups.count > 0
      ? `${action} in ${groups.count} groups (${groups.first.slice(0, 3).join('; ')})`
      : action
  })
  const more = excesses.length - named.length
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
