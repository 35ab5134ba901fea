import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { getStatistics } from './figures.ts'
import { gatherStatistics } from './jobs.ts'
import { readGathered } from './store.ts'

/** Seconds that the first reader waits on an installation where no worker has counted yet. */
const FIRST_SECONDS = 15

/** Counts and sizes of what the installation keeps, as the hourly job found them. */
export const statisticsRoutes = (ctx: AppContext): Handlers<'readStatistics'> => ({
  readStatistics: async () =>
    getStatistics((await readGathered(ctx.db)) ?? (await gatherStatistics(ctx, FIRST_SECONDS))),
})
