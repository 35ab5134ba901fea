import { NEXT_RUNS, TRANSFER_SAMPLE, type TransferItem } from '@custodia/contract'
import { type Access, nextRuns } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { getActor, type Handler, type Handlers } from '../http/context.ts'
import { pageByName, getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { timeRange } from '../http/time-range.ts'
import { readableRecordings } from '../payload-records/readable.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { CARRY_OUT, startRun } from './jobs.ts'
import { scheduleFaults } from './reach.ts'
import {
  countItems,
  countRuns,
  findRun,
  firstItems,
  listItems,
  listRuns,
  reopenFailed,
  type StoredItem,
} from './run-store.ts'
import { findConfig, lockConfig } from './store.ts'
import { getExternalId, keptSecrets, testTarget } from './target.ts'

type Rows =
  | 'listTransfers'
  | 'readTransfer'
  | 'listTransferItems'
  | 'runTransfer'
  | 'runTransferConfig'
  | 'testTransferTarget'
  | 'readTransferSchedule'
  | 'readTransferIdentity'
type Parts = Pick<AppContext, 'config' | 'cursors' | 'keys' | 'egress' | 'jobs'>

/** Routes of transfer runs, and of tests and schedules of transfer configs. */
export const transferRoutes = (ctx: Parts): Handlers<Rows> => ({
  listTransfers: (context, { query }) =>
    context.read(async (q) => {
      const { transfer_states, transfer_types, transfer_config_reference } = query
      const filter = { transfer_states, transfer_types, transfer_config_reference, ...timeRange(query) }
      if (query.type === 'total') return { total: await countRuns(q, filter) }
      return getPage(
        ctx.cursors,
        { name: 'transfers', client_id: context.caller.client_id, query },
        (from: readonly [string] | undefined, limit) => listRuns(q, filter, from?.[0], limit),
        ({ transfer_id }) => [transfer_id] as const,
      )
    }),

  readTransfer: (context, { params: { transfer_id } }) =>
    context.read(async (q) => {
      const run = await getRun(q, transfer_id)
      const { access } = context.caller
      const transfers = await withRecordings(q, access, await firstItems(q, transfer_id, TRANSFER_SAMPLE))
      const related_payloads = transfers.flatMap(({ payload_reference }) => payload_reference ?? [])
      return { ...run, related_payloads, transfers }
    }),

  listTransferItems: (context, { params: { transfer_id }, query }) =>
    context.read(async (q) => {
      await getRun(q, transfer_id)
      const filter = { transfer_id, transfer_states: query.transfer_states }
      if (query.type === 'total') return { total: await countItems(q, filter) }
      return pageByName(
        ctx.cursors,
        { name: `transfers ${transfer_id}`, client_id: context.caller.client_id, query },
        async (after, limit) =>
          withRecordings(q, context.caller.access, await listItems(q, filter, after, limit)),
        ({ item }) => item,
      )
    }),

  runTransfer: runTransfer(ctx),

  runTransferConfig: (context, { params }) =>
    context.write(async (tx) => {
      const present = await lockConfig(tx, params.transfer_config_reference)
      if (!present) throw missing()
      if (!present.config.is_active)
        throw new Problem('wrong_state', { detail: 'the transfer config is not active' })
      const by = { now: context.now, by: getActor(context.caller), scheduled_for: null }
      return { transfer_id: await startRun(ctx, tx, present, by) }
    }),

  testTransferTarget: async (context, { params, body }) => {
    const present = await context.read((q) => findConfig(q, params.transfer_config_reference))
    return testTarget(ctx, context.caller.client, params.transfer_config_reference, {
      ...body,
      kept: keptSecrets(body, present),
    })
  },

  // oxlint-disable-next-line require-await -- the others do
  readTransferSchedule: async (context, { query: { schedule } }) => {
    if (schedule === '') return { next_runs: [] }
    const faults = scheduleFaults(schedule, context.now)
    if (faults.length > 0) throw new Problem('invalid_input', { faults })
    return { next_runs: nextRuns(schedule, context.now, NEXT_RUNS) }
  },

  readTransferIdentity: async ({ caller }) => ({
    external_id: await getExternalId(ctx.keys, caller.client),
    principal: ctx.config.transferS3.principal ?? null,
  }),
})

/** Sends the failed items of a run again. */
const runTransfer =
  (ctx: Pick<Parts, 'jobs'>): Handler<'runTransfer'> =>
  (context, { params: { transfer_id } }) =>
    context.write(async (tx) => {
      const { transfer_config_reference } = await getRun(tx, transfer_id)
      const stored = await lockConfig(tx, transfer_config_reference)
      if (!stored?.config.is_active)
        throw new Problem('wrong_state', { detail: 'the transfer config is deleted or inactive' })
      if (!(await reopenFailed(tx, transfer_id, getActor(context.caller))))
        throw new Problem('wrong_state', { detail: 'the run has no failures or has not ended' })
      const { client, client_id } = context.caller
      await ctx.jobs.send(tx, CARRY_OUT, { client_id, client, transfer_id })
      return getRun(tx, transfer_id)
    })

const missing = () => new Problem('not_found', { detail: 'no such transfer config' })

/** Adds the recordings to items whose reader may read them. */
async function withRecordings(
  q: Queryable,
  access: Access,
  items: readonly StoredItem[],
): Promise<TransferItem[]> {
  const found = await readableRecordings(
    q,
    access,
    items.map(({ payload_reference }) => payload_reference),
  )
  const recordings = new Map(found.map(({ payload_reference, seen }) => [payload_reference, seen]))
  return items.map((item) => ({ ...item, seen: recordings.get(item.payload_reference ?? '') ?? null }))
}

async function getRun(q: Queryable, transfer_id: string) {
  const run = await findRun(q, transfer_id)
  if (!run) throw new Problem('not_found', { detail: 'no such transfer' })
  return run
}
