import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { countMetrics } from './count.ts'
import { listMetrics } from './list.ts'

/** How much phones have handed over. */
export const metricRoutes = (
  ctx: Pick<AppContext, 'cursors' | 'now'>,
): Handlers<'listMetrics' | 'countMetrics'> => ({
  listMetrics: listMetrics(ctx),
  countMetrics: countMetrics(ctx),
})
