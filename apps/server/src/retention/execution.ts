import { DEEDS_DAYS, FORECAST_MONTHS, type RetentionExecution } from '@custodia/contract'
import { ruleSpans } from '@custodia/domain'
import { findUnfinished } from '../destruction/store.ts'
import { actorOf, type Handlers } from '../http/context.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { readClock } from './engine-store.ts'
import { findDeeds, findPause, lastLook, savePause } from './execution-store.ts'
import { countRecordsDue } from './records/count-store.ts'
import { countDue, countStaying } from './preview-store.ts'
import { allPolicies, lockPolicies } from './store.ts'

/** Routes of the execution: pause, counts and forecast. */
export const executionRoutes: Handlers<
  'readRetentionExecution' | 'pauseRetention' | 'readRetentionForecast'
> = {
  readRetentionExecution: ({ caller: { client }, read }) => read((q) => executionOf(q, client)),
  // Takes the lock that workers share, so that the answer is final.
  pauseRetention: ({ caller, write }, { body }) =>
    write(async (tx) => {
      await lockPolicies(tx)
      await savePause(tx, { ...body, by: actorOf(caller) })
      return executionOf(tx, caller.client)
    }),
  readRetentionForecast: ({ readFromReplica }) => readFromReplica(forecastOf),
}

async function executionOf(q: Queryable, client: string): Promise<RetentionExecution> {
  const { count, since } = await findUnfinished(q)
  return {
    client,
    ...(await findPause(q)),
    looked_at: await lastLook(q),
    ...(await findDeeds(q, DEEDS_DAYS)),
    unfinished: count,
    unfinished_since: since,
  }
}

/** Forecast by the current policies. */
async function forecastOf(q: Queryable) {
  const versions = await allPolicies(q)
  const status = { spans: ruleSpans(versions), minimums: versions.at(-1)?.minimums ?? [] }
  const at = await readClock(q)
  const months = monthEnds(at, FORECAST_MONTHS)
  const times = [at, ...months]
  const due = await countDue(q, status, times)
  const records = await countRecordsDue(q, versions, times)
  return {
    at,
    months,
    types: due.map(({ payload_type, deleted, destroyed }) => ({
      payload_type,
      deleted: comingUp(deleted),
      destroyed: comingUp(destroyed),
    })),
    records: records
      .filter(({ deleted, destroyed }) => [...deleted, ...destroyed].some((count) => count > 0))
      .map(({ deleted, destroyed, ...rest }) => ({
        ...rest,
        deleted: comingUp(deleted),
        destroyed: comingUp(destroyed),
      })),
    staying: await countStaying(q, status, at),
  }
}

/** Counts due now and newly due in each month, from cumulative counts. */
const comingUp = ([due = 0, ...by]: readonly number[]) => ({
  due,
  months: by.map((count, i) => count - (i === 0 ? due : (by[i - 1] ?? 0))),
})

/** Last second of this month and the next ones, UTC. */
const monthEnds = (at: number, count: number): number[] => {
  const now = new Date(at * 1000)
  return Array.from(
    { length: count },
    (_, i) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i + 1) / 1000 - 1,
  )
}
