import type { LOG_STATUSES, LogEntry } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { tooManyRequests } from '../../http/admit.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { nameOf } from '../../http/rate-limit.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import { TokenBuckets } from '../../http/token-buckets.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { findHoldings, holderAt } from '../../device-records/store.ts'
import { insertLogs } from './log-store.ts'

/** Logs that phones of one client hand over in one transaction. */
const MOST_TOGETHER = 1000

interface Uploaded extends Pick<DeviceContext, 'caller' | 'now'> {
  logs: readonly LogEntry[]
}
type Status = (typeof LOG_STATUSES)[number]

/**
 * Takes what phones have logged; the same again is stored once. Each phone has a budget of logs, not of calls, so that one that floods
 * holds up nobody else. Problem: too_many_requests, before anything is stored: the phone still has all of them, and comes back.
 */
export function uploadLogs(ctx: AppContext): Handler<'uploadLogs'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(ctx.config.rates.reports)
  const uploads = new AuditedBatcher<Uploaded, Status[]>({
    ...ctx,
    work: storeLogs,
    most: MOST_TOGETHER,
    sizeOf: ({ logs }) => logs.length,
  })
  return async (context, { body: { logs } }) => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller), logs.length)
    if (early) throw tooManyRequests(context, early)
    const statuses = await context.writeBatched(uploads, { caller, now, logs })
    return { logs: logs.map(({ log_id }, i) => ({ log_id, status: statuses[i] as Status })) }
  }
}

/** A log belongs to whoever held its phone when it was made, as what was recorded then does. */
async function storeLogs(tx: Tx, uploaded: readonly Uploaded[]): Promise<Status[][]> {
  const holdings = await findHoldings(tx, [...new Set(uploaded.map(({ caller }) => caller.device_id))])
  const statuses = await insertLogs(
    tx,
    uploaded.flatMap(({ caller: { device_id }, now, logs }) =>
      logs.map((entry) => ({
        device_id,
        entry,
        holder: holderAt(holdings.get(device_id), entry.log_datetime),
        received_at: now,
      })),
    ),
  )
  return uploaded.map(({ logs }) => statuses.splice(0, logs.length))
}
