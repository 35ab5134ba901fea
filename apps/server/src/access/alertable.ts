import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { getActor, type NoteUse } from '../http/context.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import { wasAlerted } from './store.ts'

const DAY = 86_400

/**
 * Raises an alert for the use of an alertable role: one per person, role and UTC day, over all processes
 * (reading-the-spec, `is_alertable`). The alert is durable before the call continues, or the call fails.
 */
export function alertableUses(db: Database): NoteUse {
  let today = -1
  let raised = new Set<string>()
  return async (caller, action, now) => {
    const roles = caller.access.alertableFor(action)
    if (roles.length === 0) return
    const day = Math.floor(now / DAY)
    if (day !== today) [today, raised] = [day, new Set()]
    const { client_id, user_reference, support_reference } = caller
    const user = getActor(caller)
    for (const role of roles) {
      const use = `${client_id} ${getKey(user, role, day)}`
      if (raised.has(use)) continue
      const related_entities: AlertEvent['related_entities'] = [
        { entity_id: user_reference, entity_type: 'PortalUser' },
        ...(support_reference === undefined
          ? []
          : [{ entity_id: support_reference, entity_type: 'SupportAccessRequest' as const }]),
      ]
      await db.write(client_id, (tx) => raiseUse(tx, { user, role, action, related_entities }, now))
      raised.add(use)
    }
  }
}

const getKey = (user: string, role: string, day: number): string =>
  `alertable-role:${JSON.stringify([user, role, new Date(day * DAY * 1000).toISOString().slice(0, 10)])}`

/** The use of an alertable role. */
interface Use extends Pick<AlertEvent, 'related_entities'> {
  user: string
  role: string
  action: string
}

/** Raises the alert of a use, once per user, role and UTC day. Processes wait here for one another, so that the second one finds what the first one raised. */
export async function raiseUse(
  tx: Tx,
  { user, role, action, related_entities }: Use,
  now: number,
): Promise<void> {
  const alert_key = getKey(user, role, Math.floor(now / DAY))
  if (await wasAlerted(tx, alert_key)) return
  await raiseAlert(tx, {
    alert_scopes: ['sec'],
    alert_type: 'PortalUserAlert',
    alert_key,
    text: 'role_used',
    values: { user, role },
    alert_severity: 'Medium',
    api_action: action,
    related_entities,
    now,
  })
}
