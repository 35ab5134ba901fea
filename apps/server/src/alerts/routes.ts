import { type AlertQuery, FILTER_LIMIT } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handlers, type PortalContext } from '../http/context.ts'
import { getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { withLinks } from './links.ts'
import { type AlertReach, reachOfClient } from './reach.ts'
import {
  type AlertKey,
  clearAlerts,
  countAlerts,
  dismissAlerts,
  findAlert,
  findTriggered,
  keyOfAlert,
  listAlerts,
  summariseAlerts,
  withPermitted,
} from './store.ts'

/** A client's alerts, as far as action, alert permissions and groups reach. */
export const alertRoutes = (
  ctx: Pick<AppContext, 'cursors'>,
): Handlers<'listAlerts' | 'readAlertSummary' | 'readAlert' | 'clearAlerts' | 'dismissAlerts'> => ({
  async listAlerts(context, { query }) {
    const { caller, read } = context
    const reach = getReach(context, 'alerts:list')
    if (query.type === 'total') return read((q) => countAlerts(q, reach, query))
    const { client_id } = caller
    return read((q) =>
      getPage(
        ctx.cursors,
        { name: 'alerts', client_id, query },
        async (from: AlertKey | undefined, limit) =>
          withLinks(q, caller, await listAlerts(q, reach, query, from, limit)),
        keyOfAlert(query),
      ),
    )
  },

  async readAlertSummary(context, { query }) {
    const reach = getReach(context, 'alerts.summary:read')
    return { data: await context.read((q) => summariseAlerts(q, reach, query.is_folded)) }
  },

  readAlert: (context, { params }) =>
    context.read(async (q) => {
      const alert = await findAlert(q, getReach(context, 'alerts:read'), params.alert_reference)
      if (!alert) throw new Problem('not_found', { detail: 'no such alert in reach' })
      const [linked = alert] = await withLinks(q, context.caller, [alert])
      return linked
    }),

  clearAlerts: (context, { query, body: { alert_references, ...body } }) =>
    context.write(async (tx) => {
      const reach = getReach(context, 'alerts:clear', 'write')
      const { references, is_cut } = await findChosen(context, tx, query, alert_references)
      const cleared = await clearAlerts(tx, reach, references, { ...body, issuer: context.caller.issuer })
      const alerts = await withPermitted(tx, getReach(context, 'alerts:list'), cleared)
      noteCount(context, alerts)
      return { alerts, is_cut }
    }),

  dismissAlerts: (context, { query, body: { alert_references } }) =>
    context.write(async (tx) => {
      const reach = getReach(context, 'alerts:dismiss')
      const { references, is_cut } = await findChosen(context, tx, query, alert_references)
      const dismissed = await dismissAlerts(tx, reach, references)
      const alerts = await withPermitted(tx, getReach(context, 'alerts:list'), dismissed)
      noteCount(context, alerts)
      return { alerts, is_cut }
    }),
})

/** The selected alerts, or those that match the filters and that the caller may list. */
async function findChosen(
  context: PortalContext,
  tx: Tx,
  query: Omit<AlertQuery, 'limit' | 'last_key' | 'type'>,
  selected: readonly string[] | undefined,
): Promise<{ references: readonly string[]; is_cut: boolean }> {
  if (selected) return { references: selected, is_cut: false }
  const found = await findTriggered(tx, getReach(context, 'alerts:list'), query, FILTER_LIMIT + 1)
  return { references: found.slice(0, FILTER_LIMIT), is_cut: found.length > FILTER_LIMIT }
}

const noteCount = (context: PortalContext, alerts: readonly { status: string }[]) =>
  context.noteFacts({ alerts: alerts.filter(({ status }) => status === 'Ok').length })

const getReach = (
  { caller, now }: PortalContext,
  action: string,
  right: 'read' | 'write' = 'read',
): AlertReach => reachOfClient({ ...caller, portal_user: getActor(caller), now }, action, right)
