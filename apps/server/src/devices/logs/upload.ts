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

/** Maximum number of logs of one client per transaction. */
const MOST_TOGETHER = 1000

interface Uploaded extends Pick<DeviceContext, 'caller' | 'now'> {
  logs: readonly LogEntry[]
}
type Status = (typeof LOG_STATUSES)[number]

/** Stores device logs; repeats are stored once. Problem: too_many_requests per device, before anything is stored. */
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

/** Assigns each log to the holder of the device at that time, as for payloads. */
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
