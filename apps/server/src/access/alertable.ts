import { raiseAlert } from '../alerts/raise.ts'
import { actorOf, type NoteUse, type PortalUser } from '../http/context.ts'
import type { Database } from '../ports/database/pool.ts'
import { wasAlerted } from './store.ts'

const DAY = 86_400

/**
 * Watches over roles whose use raises an alert: one security alert per person, role and UTC day, however many calls and
 * processes there are (reading-the-spec, `is_alertable`). The alert is durable before the call goes on, or the call fails.
 */
export function alertableUses(db: Database): NoteUse {
  let today = -1
  let raised = new Set<string>()
  return async (caller, action, now) => {
    const roles = caller.access.alertableFor(action)
    if (roles.length === 0) return
    const day = Math.floor(now / DAY)
    if (day !== today) [today, raised] = [day, new Set()]
    for (const role of roles) {
      const use = `${caller.client_id} ${keyOf(caller, role, day)}`
      if (raised.has(use)) continue
      await raiseOnce(db, caller, role, action, now)
      raised.add(use)
    }
  }
}

const keyOf = (caller: PortalUser, role: string, day: number): string =>
  `alertable-role:${JSON.stringify([actorOf(caller), role, new Date(day * DAY * 1000).toISOString().slice(0, 10)])}`

async function raiseOnce(
  db: Database,
  caller: PortalUser,
  role: string,
  action: string,
  now: number,
): Promise<void> {
  const { client_id } = caller
  const alert_key = keyOf(caller, role, Math.floor(now / DAY))
  await db.write(client_id, async (tx) => {
    // Processes wait here for one another, so that the second one finds what the first one raised.
    if (await wasAlerted(tx, alert_key)) return
    await raiseAlert(tx, {
      alert_scopes: ['sec'],
      alert_targets: ['client'],
      alert_key_type: 'Scoped',
      alert_type: 'PortalUserAlert',
      alert_key,
      text: 'role_used',
      values: { user: actorOf(caller), role },
      alert_severity: 'Medium',
      api_action: action,
      related_entities: [
        { entity_id: caller.user_reference, entity_type: 'PortalUser' },
        ...(caller.support_reference === undefined
          ? []
          : [{ entity_id: caller.support_reference, entity_type: 'SupportAccessRequest' as const }]),
      ],
      now,
    })
  })
}
