import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { countMetrics } from './count.ts'
import { listMetrics } from './list.ts'

/** How much phones have handed over. */
export const metricRoutes = (
  house: Pick<House, 'cursors' | 'now'>,
): Handlers<'listMetrics' | 'countMetrics'> => ({
  listMetrics: listMetrics(house),
  countMetrics: countMetrics(house),
})
