import type { Dashboard } from '@custodia/contract'
import { readFleetCounts } from '../device-records/counts-store.ts'
import { countWaiting } from '../device-records/store.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { countFaults } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { countProposals, hiddenFrom } from '../proposals/store.ts'
import { readLastVisit } from '../sessions/store.ts'
import { countOpenGaps, countRequests, countWaitingDestructions, findOpenSteps } from './store.ts'

type WaitingCounts = Pick<
  Dashboard,
  | 'open_steps'
  | 'waiting_devices'
  | 'waiting_proposals'
  | 'waiting_destructions'
  | 'data_requests'
  | 'capture_gaps'
  | 'faults'
>

/** Counts of the fleet within the caller's groups, what waits for a person, and since when things are new to the caller. */
export const dashboardRoutes = (): Handlers<'readDashboard'> => ({
  async readDashboard(context) {
    const { access, client_id, user_reference, session_id } = context.caller
    const groups = access.groups('dashboard:read')
    const counts = await context.readFromReplica(async (q) => ({
      ...(await readFleetCounts(q, groups)),
      ...(await readWaiting(q, context)),
    }))
    const last_visit_at = await context.read((q) =>
      readLastVisit(q, { client_id, user_reference, session_id }),
    )
    return { last_visit_at, ...counts } satisfies Dashboard
  },
})

/** Counts of what waits for a person; null for what the caller may not list. */
async function readWaiting(q: Queryable, { caller: { access }, now }: PortalContext): Promise<WaitingCounts> {
  const of = <T>(may: boolean, count: () => Promise<T>) => (may ? count() : Promise.resolve(null))
  const both = (list: string, change: string) => access.may(list) && access.may(change)
  return {
    open_steps: await of(access.allowsGroupless('account.defaults:update'), () => findOpenSteps(q)),
    waiting_devices: await of(access.may('devices.holder:confirm'), () =>
      countWaiting(q, access.groups('devices.holder:confirm')),
    ),
    waiting_proposals: await of(both('account.proposals:list', 'account.proposals:update'), () =>
      countProposals(q, { state: 'waiting', hidden: hiddenFrom(access) }),
    ),
    waiting_destructions: await of(both('account.destructions:list', 'account.destructions:update'), () =>
      countWaitingDestructions(q),
    ),
    data_requests: await of(access.may('account.data_requests:list'), () => countRequests(q, now)),
    capture_gaps: await of(access.may('capture_gaps:list'), () =>
      countOpenGaps(q, access.groups('capture_gaps:list')),
    ),
    faults: await of(access.may('payloads:list'), () => countFaults(q, access, 'payloads:list')),
  }
}
