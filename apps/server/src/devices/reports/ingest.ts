import type { AppContext } from '../../app-context.ts'
import { findHoldings, holderAt } from '../../device-records/store.ts'
import { getName, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import type { DeviceContext } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { insertReports, type NewReport, type ReportKind, type StoredStatus } from './store.ts'

/** Maximum number of report units of one client per transaction. */
const MAX_TOGETHER = 1000

/** A readable report of a device. */
export type SentReport = Pick<NewReport, 'reference' | 'at' | 'values'>

/** Readable reports of one call, with what seals them. */
export interface Upload<Report extends SentReport, Keys> extends Pick<DeviceContext, 'caller' | 'now'> {
  reports: readonly Report[]
  keys: Keys
}

interface Options<Report extends SentReport, Keys> {
  /** Units of a report, in rate limits and transactions. */
  getSize?: (report: Report) => number
  /** Checks or stores keys before the reports; resolves to values that all reports of an upload have. */
  prepare?: (
    tx: Tx,
    uploads: readonly Upload<Report, Keys>[],
  ) => Promise<readonly NewReport['values'][]> | undefined
  /** For a kind without `equal`. */
  compare?: (tx: Tx, reports: readonly (Report & NewReport)[]) => Promise<StoredStatus[]>
}

/** Stores the reports of a kind; repeats are stored once. */
export interface ReportIngest<Report extends SentReport, Keys> {
  /** Problem: too_many_requests per device, before anything is stored. */
  admit(context: DeviceContext, units: number): void
  /** Stores readable reports with their audit entry; resolves to their results, in order. */
  store(context: DeviceContext, reports: readonly Report[], keys: Keys): Promise<StoredStatus[]>
}

/** The way in of a kind of reports: rate limit, one transaction for many devices, and the holder at the report's time. */
export function reportIngest<Report extends SentReport, Keys = undefined>(
  ctx: AppContext,
  kind: ReportKind,
  { getSize = () => 1, prepare, compare = neverCompares }: Options<Report, Keys> = {},
): ReportIngest<Report, Keys> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(ctx.config.rates.reports)
  const batcher = new AuditedBatcher<Upload<Report, Keys>, StoredStatus[]>({
    ...ctx,
    most: MAX_TOGETHER,
    getSize: ({ reports }) => reports.reduce((sum, report) => sum + getSize(report), 0),
    async work(tx, uploads) {
      const shared = await prepare?.(tx, uploads)
      const holdings = await findHoldings(tx, [...new Set(uploads.map(({ caller }) => caller.device_id))])
      const reports = uploads.flatMap(({ caller: { device_id }, now, reports: sent }, i) =>
        sent.map((report) => ({
          ...report,
          values: { ...report.values, ...shared?.[i] },
          ...holderAt(holdings.get(device_id), report.at),
          device_id,
          received_at: now,
        })),
      )
      const statuses = await insertReports(tx, kind, reports, compare)
      return uploads.map(({ reports: sent }) => statuses.splice(0, sent.length))
    },
  })
  return {
    admit(context, units) {
      const early = buckets?.take(getName(context.caller), units)
      if (early) throw tooManyRequests(context, early)
    },
    store: (context, reports, keys) =>
      context.writeBatched(batcher, { caller: context.caller, now: context.now, reports, keys }),
  }
}

const neverCompares = () => Promise.reject(new Error('the statement of the kind compares'))
