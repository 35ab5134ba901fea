import { hash } from 'node:crypto'
import { fault, type Notification, PROVIDER_CLIENT } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { getClient, getCustomer, listClients } from '../clients/store.ts'
import { type Handlers, marked, type PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { raiseAlert } from './raise.ts'
import { type AlertReach, reachOfProvider } from './reach.ts'
import {
  type AlertKey,
  clearAlerts,
  countAlerts,
  dismissAlerts,
  findAlert,
  keyOfAlert,
  listAlertsOfClients,
} from './store.ts'

/** Handlers for the provider's staff: clients' alerts, and notifications to clients. */
export const internalAlertRoutes = (
  ctx: Pick<AppContext, 'cursors' | 'db'>,
): Handlers<
  | 'listAlertsOfClients'
  | 'notifyClients'
  | 'readAlertOfClient'
  | 'clearAlertsOfClient'
  | 'dismissAlertsOfClient'
> => ({
  async listAlertsOfClients(context, { query }) {
    const reach = getReach(context)
    if (query.type === 'total') return ctx.db.acrossClients((q) => countAlerts(q, reach, query))
    return getPage(
      ctx.cursors,
      { name: 'alerts of clients', client_id: 'all', query },
      (from: AlertKey | undefined, limit) =>
        ctx.db.acrossClients((q) => listAlertsOfClients(q, reach, query, from, limit)),
      keyOfAlert(query),
    )
  },

  async notifyClients(context, { body }) {
    if (body.expires_after !== null && body.expires_after <= context.now)
      throw new Problem('invalid_input', { faults: [fault('expires_after', 'expiry_in_past')] })
    const clients = await recipients(ctx, body)
    for (const { client_id } of clients)
      await context.writeFor(client_id, (tx) =>
        raiseAlert(tx, {
          alert_scopes: [body.scope],
          alert_type: 'Notification',
          alert_key: getKey(body),
          text: 'notification',
          values: { message: body.message },
          api_action: context.action,
          alert_severity: body.severity,
          expires_after: body.expires_after,
          now: context.now,
        }),
      )
    return { clients: clients.map(({ client }) => client) }
  },

  async readAlertOfClient(context, { params }) {
    const { client_id } = await getClient(ctx, params.client)
    const alert = await ctx.db.acrossClients((q) =>
      findAlert(q, getReach(context, client_id), params.alert_reference),
    )
    if (!alert) throw new Problem('not_found', { detail: 'no such alert in reach' })
    return alert
  },

  async clearAlertsOfClient(context, { params, body }) {
    const { client_id } = await getClient(ctx, params.client)
    const reach = getReach(context, client_id)
    return {
      alerts: await context.writeFor(client_id, (tx) => clearAlerts(tx, reach, body.alert_references, body)),
    }
  },

  async dismissAlertsOfClient(context, { params, body }) {
    const { client_id } = await getClient(ctx, params.client)
    const reach = getReach(context, client_id)
    return {
      alerts: await context.writeFor(client_id, (tx) => dismissAlerts(tx, reach, body.alert_references)),
    }
  },
})

/** Alerts for the provider's staff only, never those for the client's users, whatever their references are. */
const getReach = ({ caller, now }: PortalContext, client_id?: number): AlertReach =>
  reachOfProvider({ portal_user: marked(caller.user_reference, 'provider'), now }, client_id)

/** The clients of a notification, by default all. Throws for an unknown one before any alert is raised. */
async function recipients(ctx: Pick<AppContext, 'db'>, { clients }: Notification) {
  if (clients) return Promise.all(clients.map((client) => getCustomer(ctx, client)))
  return (await listClients(ctx.db)).filter(({ client }) => client !== PROVIDER_CLIENT)
}

/** The same notification sent again, such as after a fault halfway, adds an occurrence and no second alert. */
function getKey({ severity, message, expires_after }: Notification): string {
  return `notification ${hash('sha256', JSON.stringify([severity, message, expires_after]), 'hex').slice(0, 24)}`
}
