import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { gatherStatistics } from './gather.ts'

/** Seconds that gathering may take: the next run comes after an hour. */
const GATHER_SECONDS = 1200

/** Counts what the installation keeps, when a worker starts and every hour. */
export const gatherFigures = jobKind({
  name: 'statistics.gather',
  input: z.object({}),
  every: 3600,
  retries: 1,
  run: async (ctx) => void (await gatherStatistics(ctx, GATHER_SECONDS)),
})
