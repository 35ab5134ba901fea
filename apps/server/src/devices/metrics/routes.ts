import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { countMetrics } from './count.ts'
import { listMetrics } from './list.ts'

/** Routes of payload metrics. */
export const metricRoutes = (
  ctx: Pick<AppContext, 'cursors' | 'now'>,
): Handlers<'listMetrics' | 'countMetrics'> => ({
  listMetrics: listMetrics(ctx),
  countMetrics: countMetrics(ctx),
})
