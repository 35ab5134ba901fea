import type { AccessImpact, AlertTextCode, Excess } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import { actorOf, type PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Changer } from './impact.ts'

/** A change of rights: its alert text, and the name of the changed object. */
interface Change {
  text: AlertTextCode & `escalated_by_${string}`
  name: string
}

/** Rows of an excess that an alert spells out. */
const NAMED = 5

/** The caller as the subject of a rights check. */
export const changerOf = ({ caller, ip }: Pick<PortalContext, 'caller' | 'ip'>): Changer => ({
  ...caller,
  ip,
})

/**
 * Rejects a save that exceeds the caller's rights, inside its transaction. A grant beyond the caller's own rights
 * needs `access:escalate` and raises a High security alert. Problems: locks_out, escalation.
 * @param what text for the alert, and for the audit entry of a refusal
 */
export async function assertPermitted(
  context: PortalContext,
  tx: Tx,
  impact: AccessImpact,
  { what, confirm_lockout }: { what: Change; confirm_lockout: boolean | undefined },
): Promise<void> {
  if (impact.escalations.length > 0 && !impact.may_escalate)
    throw new Problem('escalation', { detail: `${what.name}: ${described(impact.escalations)}` })
  if (impact.locks_out && !confirm_lockout) throw new Problem('locks_out', { detail: what.name })
  if (impact.escalations.length > 0) await alertOf(context, tx, what, impact.escalations)
}

function alertOf(
  { caller, action, now }: PortalContext,
  tx: Tx,
  what: Change,
  excesses: readonly Excess[],
): Promise<void> {
  const user = actorOf(caller)
  return raiseAlert(tx, {
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_type: 'PortalUserAlert',
    alert_key: `escalation ${user}`,
    text: what.text,
    values: { user, name: what.name, rights: described(excesses) },
    alert_severity: 'High',
    api_action: action,
    related_entities: [{ entity_id: caller.user_reference, entity_type: 'PortalUser' }],
    now,
  })
}

/** A language-neutral summary of a grant: `payloads:list (*), payloads:read (Desk 1, Desk 2, +7)`. */
function described(excesses: readonly Excess[]): string {
  const named = excesses.slice(0, NAMED).map(({ action, groups }) => {
    if (groups.is_all) return `${action} (*)`
    return groups.count > 0 ? `${action} (${counted(groups.first.slice(0, 3), groups.count)})` : action
  })
  return counted(named, excesses.length)
}

function counted(named: readonly string[], count: number): string {
  return [...named, ...(count > named.length ? [`+${count - named.length}`] : [])].join(', ')
}
