import type { AppContext } from '../app-context.ts'
import { actorOf, type Handlers, type PortalContext } from '../http/context.ts'
import { pageOf } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { withLinks } from './links.ts'
import { type AlertReach, reachOfClient } from './reach.ts'
import {
  type AlertKey,
  clearAlerts,
  countAlerts,
  dismissAlerts,
  findAlert,
  keyOfAlert,
  listAlerts,
  summariseAlerts,
} from './store.ts'

/** A client's alerts, as far as action, alert permissions and groups reach. */
export const alertRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
): Handlers<'listAlerts' | 'readAlertSummary' | 'readAlert' | 'clearAlerts' | 'dismissAlerts'> => ({
  async listAlerts(context, { query }) {
    const { caller, read } = context
    const reach = reachOf(context, 'alerts:list')
    if (query.type === 'total') return read((q) => countAlerts(q, reach, query))
    const { client_id } = caller
    return read((q) =>
      pageOf(
        ctx.cursors,
        { name: 'alerts', client_id, query },
        async (from: AlertKey | undefined, limit) =>
          withLinks(q, caller, await listAlerts(q, reach, query, from, limit)),
        keyOfAlert(query),
      ),
    )
  },

  async readAlertSummary(context, { query }) {
    const reach = reachOf(context, 'alerts.summary:read')
    return { data: await context.read((q) => summariseAlerts(q, reach, query.is_folded)) }
  },

  readAlert: (context, { params }) =>
    context.read(async (q) => {
      const alert = await findAlert(q, reachOf(context, 'alerts:read'), params.alert_reference)
      if (!alert) throw new Problem('not_found', { detail: 'no such alert in reach' })
      const [linked = alert] = await withLinks(q, context.caller, [alert])
      return linked
    }),

  async clearAlerts(context, { body }) {
    const reach = reachOf(context, 'alerts:clear', 'write')
    return {
      alerts: await context.write((tx) =>
        clearAlerts(tx, reach, body.alert_references, { ...body, issuer: context.caller.issuer }),
      ),
    }
  },

  async dismissAlerts(context, { body }) {
    const reach = reachOf(context, 'alerts:dismiss')
    return { alerts: await context.write((tx) => dismissAlerts(tx, reach, body.alert_references)) }
  },
})

const reachOf = (
  { caller, now }: PortalContext,
  action: string,
  right: 'read' | 'write' = 'read',
): AlertReach => reachOfClient({ ...caller, portal_user: actorOf(caller), now }, action, right)
