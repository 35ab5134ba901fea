import { hash } from 'node:crypto'
import { factsOf, REPORT_PIECE, type ReportOutcome, Telemetry } from '@custodia/contract'
import { type CarriersSeen, noteSightings } from '../../carriers/store.ts'
import type { AppContext } from '../../app-context.ts'
import { nameOf, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type OpenedReport, openKeptReports } from '../open-reports.ts'
import { keepReportKeys, type ReportKey } from '../report-keys-store.ts'
import { findHoldings, holderAt } from '../../device-records/store.ts'
import { insertTelemetry, type NewTelemetry } from './telemetry-store.ts'

/** Maximum number of report units of one client per transaction. */
const MOST_TOGETHER = 1000

/** A report without its holder. */
type Report = Omit<NewTelemetry, 'device_id' | 'report_key_id' | 'holder' | 'received_at'>
interface Uploaded extends Pick<DeviceContext, 'caller' | 'now'> {
  key: ReportKey | undefined
  reports: readonly Report[]
}
type Status = Awaited<ReturnType<typeof insertTelemetry>>[number]

const KIND = {
  kind: 'telemetry',
  schema: Telemetry,
  namedIn: ({ telemetry_id, telemetry_time }: Telemetry) => ({ id: telemetry_id, at: telemetry_time }),
}

/**
 * Stores telemetry; repeats are stored once, and an unreadable report gets its fault. Problem: too_many_requests per
 * device, before anything is stored.
 */
export function uploadTelemetry(ctx: AppContext): Handler<'uploadTelemetry'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(ctx.config.rates.reports)
  const uploads = new AuditedBatcher<Uploaded, Status[]>({
    ...ctx,
    work: storeReports,
    most: MOST_TOGETHER,
    sizeOf: ({ reports }) => piecesOf(reports.map(({ sealed_meta }) => sealed_meta)),
  })
  return async (context, { body: { key_id, encrypted_dek, telemetry } }) => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller), piecesOf(telemetry.map(({ meta }) => meta)))
    if (early) throw tooManyRequests(context, early)
    const sealed = telemetry.map(({ telemetry_id: id, telemetry_time: at, iv, meta }) => ({
      id,
      at,
      iv,
      meta,
    }))
    const { key, opened } = await openKeptReports(
      ctx,
      context,
      { key_id, encrypted_dek, reports: sealed },
      KIND,
    )
    const reports = opened.flatMap(reportOf)
    const statuses = await context.writeBatched(uploads, { caller, now, key, reports })
    await noteSightings(ctx, caller.client_id, ...opened.flatMap(carriersIn))
    const stored = new Map(reports.map(({ telemetry_id }, i) => [telemetry_id, statuses[i] as Status]))
    return {
      telemetry: opened.map((each) => ({ telemetry_id: each.sealed.id, ...outcomeOf(each, stored) })),
    }
  }
}

/** Carriers that a device reports. */
function carriersIn(each: OpenedReport<Telemetry>): CarriersSeen[] {
  if (!('report' in each)) return []
  const { sims = [], sim_numbers = [], telemetry_time } = each.report
  return [
    {
      payload_time: telemetry_time,
      payload_carrier_metadata: sims.map(({ slot_index, operator_name, country }) => ({
        carrier_name: operator_name,
        phone_number: sim_numbers.find((number) => number.slot_index === slot_index)?.phone_number,
        country,
      })),
    },
  ]
}

function reportOf(each: OpenedReport<Telemetry>): Report[] {
  if (!('report' in each)) return []
  const { report, sealed } = each
  return [
    {
      telemetry_id: sealed.id,
      telemetry_time: sealed.at,
      facts: factsOf(report),
      has_applications: report.installed_applications !== undefined,
      iv: sealed.iv,
      sealed_meta: sealed.meta,
      // A checksum of the content: a resealed report is the same report.
      checksum: hash('sha256', JSON.stringify(report), 'buffer'),
    },
  ]
}

function outcomeOf(each: OpenedReport<Telemetry>, stored: ReadonlyMap<string, Status>): ReportOutcome {
  if ('report' in each) return { status: stored.get(each.sealed.id) as Status }
  const { reason, path } = each
  return { status: 'failed', reason, ...(path !== undefined && { path }) }
}

/** Units of reports: a large report counts several times, in rate limits and transactions. */
const piecesOf = (metas: readonly string[]): number =>
  metas.reduce((sum, meta) => sum + Math.ceil(meta.length / REPORT_PIECE), 0)

/** Assigns each report to the holder of the device at that time, as for payloads. */
async function storeReports(tx: Tx, uploaded: readonly Uploaded[]): Promise<Status[][]> {
  const used = uploaded.filter(({ reports }) => reports.length > 0)
  const ids = await keepReportKeys(
    tx,
    used.flatMap(({ key }) => key ?? []),
    Math.max(...uploaded.map(({ now }) => now)),
  )
  const holdings = await findHoldings(tx, [...new Set(used.map(({ caller }) => caller.device_id))])
  const statuses = await insertTelemetry(
    tx,
    used.flatMap(({ caller: { device_id }, now, reports }, i) =>
      reports.map((report) => ({
        device_id,
        ...report,
        report_key_id: ids[i] as number,
        holder: holderAt(holdings.get(device_id), report.telemetry_time),
        received_at: now,
      })),
    ),
  )
  return uploaded.map(({ reports }) => statuses.splice(0, reports.length))
}
