import type { Dashboard } from '@custodia/contract'
import type { Handlers } from '../http/context.ts'
import { readFleetCounts } from './store.ts'

/** Counts of the fleet within the caller's groups. */
export const dashboardRoutes = (): Handlers<'readDashboard'> => ({
  async readDashboard(context) {
    const groups = context.caller.access.groups('dashboard:read')
    const counts = await context.readAside((q) => readFleetCounts(q, groups))
    return counts satisfies Dashboard
  },
})
