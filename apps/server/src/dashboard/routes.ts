import type { Dashboard } from '@custodia/contract'
import { countWaiting } from '../device-records/store.ts'
import type { Handlers } from '../http/context.ts'
import { countProposals, hiddenFrom } from '../proposals/store.ts'
import { readLastVisit } from '../sessions/store.ts'
import { readFleetCounts } from '../device-records/counts-store.ts'

/** Counts of the fleet within the caller's groups, and since when things are new to the caller. */
export const dashboardRoutes = (): Handlers<'readDashboard'> => ({
  async readDashboard(context) {
    const { access, client_id, user_reference, session_id } = context.caller
    const groups = access.groups('dashboard:read')
    const counts = await context.readFromReplica((q) => readFleetCounts(q, groups))
    const last_visit_at = await context.read((q) =>
      readLastVisit(q, { client_id, user_reference, session_id }),
    )
    const waiting_devices = access.may('devices.holder:confirm')
      ? await context.readFromReplica((q) => countWaiting(q, access.groups('devices.holder:confirm')))
      : null
    const waiting_proposals =
      access.may('account.proposals:list') && access.may('account.proposals:update')
        ? await context.readFromReplica((q) =>
            countProposals(q, { state: 'waiting', hidden: hiddenFrom(access) }),
          )
        : null
    return { last_visit_at, waiting_devices, waiting_proposals, ...counts } satisfies Dashboard
  },
})
