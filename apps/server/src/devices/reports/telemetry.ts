import { hash } from 'node:crypto'
import {
  type Api,
  DAY,
  getFacts,
  type HandlerInput,
  type Page,
  type ProviderTelemetryRow,
  REPORT_PIECE,
  Telemetry,
  type TelemetryRow,
  type Total,
} from '@custodia/contract'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import { type CarriersSeen, noteSightings } from '../../carriers/store.ts'
import { getClient } from '../../clients/store.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import type { Handler, Handlers, PortalContext } from '../../http/context.ts'
import { getPage } from '../../http/page.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import { END_OF_TIME, timeRange } from '../../http/time-range.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { reportKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { reportIngest, type SentReport, type Upload } from './ingest.ts'
import { getGroups, type ListContext, listReports, type ReportList } from './list.ts'
import { openKeptReports, getOutcomes, sealedReports } from './sealed.ts'
import { keepReportKeys, LATEST_TELEMETRY, type NewReport, type ReportKey, TELEMETRY } from './store.ts'
import {
  getConditions,
  countProviderRows,
  findProviderRows,
  findSeries,
  findTelemetry,
  keepSharedFacts,
  type ProviderFilter,
  type ProviderKey,
  type SharedFacts,
  splitFacts,
  type StoredTelemetry,
} from './telemetry-store.ts'

/** A report of 15 KB counts twice: sealed characters decide, in rate limits and transactions. */
const getUnits = (meta: string): number => Math.ceil(meta.length / REPORT_PIECE)

/** Stores telemetry; repeats are stored once, and an unreadable report gets its fault. */
function uploadTelemetry(ctx: AppContext): Handler<'uploadTelemetry'> {
  const ingest = reportIngest<SentReport, SharedByReports>(ctx, TELEMETRY, {
    getSize: ({ values }) => getUnits(values.sealed_meta as string),
    prepare: keepShared,
  })
  const kind = { kind: TELEMETRY, schema: Telemetry, sealed_as: 'telemetry', getPrivate }
  return async (context, { body }) => {
    ingest.admit(
      context,
      body.telemetry.reduce((sum, { meta }) => sum + getUnits(meta), 0),
    )
    const sealed = sealedReports(TELEMETRY, body, body.telemetry)
    const { key, opened } = await openKeptReports(ctx, context, sealed, kind)
    const readable = opened.flatMap((each) => ('report' in each ? [each] : []))
    const facts: SharedFacts[] = []
    const reports = readable.map(({ report, sealed: { id, at, iv, meta } }) => {
      const { shared, values } = splitFacts(getFacts(report), at)
      facts.push(shared)
      return {
        reference: id,
        at,
        values: {
          ...values,
          has_applications: report.installed_applications !== undefined,
          iv,
          sealed_meta: meta,
          checksum: getChecksum(report),
        },
      }
    })
    const outcomes = getOutcomes(opened, await ingest.store(context, reports, { key, facts }))
    await noteSightings(ctx, context.caller.client_id, ...readable.map(({ report }) => carriersIn(report)))
    return { telemetry: outcomes.map(({ id, ...outcome }) => ({ telemetry_id: id, ...outcome })) }
  }
}

/** Digest of the content, so that a report that is sealed again is the same report. */
export const getChecksum = (report: object): string =>
  hash('sha256', JSON.stringify(report), 'buffer').subarray(0, 16).toString('base64')

/** The part of a report that stays sealed: all but its names and the facts of the device. */
function getPrivate(report: Telemetry): object {
  const facts = getFacts(report)
  const { telemetry_id: _id, telemetry_time: _time, ...rest } = report
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !(name in facts)))
}

/** What the reports of a call share: the key that seals them, and facts. */
interface SharedByReports {
  key: ReportKey | undefined
  facts: readonly SharedFacts[]
}

/** Stores the keys and shared facts of uploads with readable reports. */
async function keepShared(
  tx: Tx,
  uploads: readonly Upload<SentReport, SharedByReports>[],
): Promise<NewReport['values'][]> {
  const used = uploads.flatMap(({ keys: { key }, reports }) => (key && reports.length > 0 ? [key] : []))
  await keepSharedFacts(
    tx,
    uploads.flatMap(({ keys: { facts } }) => facts),
  )
  const ids = (await keepReportKeys(tx, used, Math.max(...uploads.map(({ now }) => now)))).values()
  return uploads.map(({ reports }): NewReport['values'] =>
    reports.length > 0 ? { report_key_id: ids.next().value } : {},
  )
}

/** Carriers that a device reports. */
const carriersIn = ({ sims = [], sim_numbers = [], telemetry_time }: Telemetry): CarriersSeen => ({
  payload_time: telemetry_time,
  payload_carrier_metadata: sims.map(({ slot_index, operator_name, country }) => ({
    carrier_name: operator_name,
    phone_number: sim_numbers.find((number) => number.slot_index === slot_index)?.phone_number,
    country,
  })),
})

/** Reads one report and decrypts its sealed content. Problem: not_found. */
const readTelemetry =
  (ctx: Pick<AppContext, 'keys' | 'log'>): Handler<'readTelemetry'> =>
  async (context, { params: { device_reference, telemetry_id } }) => {
    const stored = withinReach(
      context,
      await context.readFromReplica((q) => findTelemetry(q, device_reference, telemetry_id)),
    )
    const {
      group_id: _group_id,
      wrapped_key: _wrapped_key,
      iv: _iv,
      sealed_meta: _sealed_meta,
      ...row
    } = stored
    return { ...row, report: await openStored(ctx, stored) }
  }

/** Sealed content; null when it does not open, which is logged. */
async function openStored(
  { keys, log }: Pick<AppContext, 'keys' | 'log'>,
  { client, device_reference, wrapped_key, iv, sealed_meta, ...named }: StoredTelemetry,
): Promise<Telemetry | null> {
  const { telemetry_id, telemetry_time, facts } = named
  let dek: Buffer | undefined
  try {
    dek = await keys.unwrap(wrapped_key, reportKeyContext(client, device_reference))
    const identity = { client, payload_reference: telemetry_id, kind: 'telemetry' }
    const opened = openMeta(dek, identity, iv.toString('base64'), sealed_meta.toString('base64'))
    return { telemetry_id, telemetry_time, ...facts, ...(opened as Pick<Telemetry, 'timezone'>) }
  } catch (error) {
    if (
      !(error instanceof EnvelopeError || error instanceof CiphertextRefused || error instanceof KeyUnknown)
    )
      throw error
    log.error({ err: error, telemetry_id }, 'a device report cannot be decrypted')
    return null
  } finally {
    dek?.fill(0)
  }
}

/** Default days of a series and its maximum number of steps. */
const SERIES_DAYS = 7
const MAX_STEPS = 240
/** Maximum period of a series, in seconds. */
const MAX_PERIOD = 366 * DAY

/**
 * Battery, storage, memory and queue of a device in steps. Problem: not_found when the caller does not see the device.
 */
const readTelemetrySeries: Handler<'readTelemetrySeries'> = (
  context,
  { params: { device_reference }, query },
) =>
  context.readFromReplica(async (q) => {
    const about = await findGroupOfDevice(q, device_reference)
    if (!about) throw new Problem('not_found', { detail: 'no such device' })
    const groups = await getGroups(q, context.caller.access.groups(context.action), undefined)
    const { from, to } = getRange(context, query)
    const step = Math.max(60, Math.ceil((to - from) / MAX_STEPS))
    const data = await findSeries(q, { device_id: about.device_id, groups, from, to, step })
    if (data.length === 0 && !context.caller.access.permits(context.action, about))
      throw new Problem('not_found', { detail: 'not visible to the caller' })
    return { from, to, step, data }
  })

/** Period of a series: by default the last week; at most a year. */
function getRange({ now }: Pick<PortalContext, 'now'>, query: Parameters<typeof timeRange>[0]) {
  const stated = timeRange(query)
  const to = stated.to === END_OF_TIME ? now + 1 : stated.to
  const from = query.from === undefined ? to - SERIES_DAYS * DAY : stated.from
  return { from: Math.max(0, from, to - MAX_PERIOD), to: Math.max(to, from) }
}

type Parts = Pick<AppContext, 'cursors' | 'db'>
interface Query {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** Newest report of each device: device facts only, without holders or sealed content. */
async function listOfProvider(
  { cursors, db }: Parts,
  name: string,
  query: Query,
  filter: ProviderFilter,
): Promise<Page<ProviderTelemetryRow> | Total> {
  const { clients, concerns, os_version, app_version, model } = filter
  const wanted = { clients, concerns, os_version, app_version, model }
  if (query.type === 'total') return db.acrossClients((q) => countProviderRows(q, wanted))
  const { data, ...rest } = await getPage(
    cursors,
    { name, client_id: 'all', query },
    (from: ProviderKey | undefined, limit) =>
      db.acrossClients((q) => findProviderRows(q, wanted, from, limit)),
    ({ at, row_id }): ProviderKey => [at, row_id],
  )
  return { ...rest, data: data.map(({ at: _at, row_id: _row_id, ...row }) => row) }
}

/** Lists of telemetry: of all devices, of one, and the newest of each device for the provider's staff. */
export const telemetryLists = (
  ctx: ListContext & Parts,
): Handlers<
  'listTelemetry' | 'listTelemetryOfDevice' | 'listTelemetryOfClients' | 'listTelemetryOfClient'
> => ({
  listTelemetry: (context, { query }) =>
    listReports<TelemetryRow>(ctx, context, {
      ...getList(query),
      ...(query.latest && { of: LATEST_TELEMETRY, conditions: getConditions(query, true) }),
    }),
  listTelemetryOfDevice: (context, { params: { device_reference }, query }) =>
    listReports<TelemetryRow>(ctx, context, { ...getList(query), subject: { device_reference } }),
  listTelemetryOfClients: (_context, { query }) => listOfProvider(ctx, 'telemetry of clients', query, query),
  listTelemetryOfClient: async (_context, { params, query }) => {
    const { client } = await getClient(ctx, params.client)
    return listOfProvider(ctx, `telemetry of client ${client}`, query, { ...query, clients: [client] })
  },
})

const getList = (query: HandlerInput<Api['listTelemetry']>['query']): ReportList => ({
  name: 'telemetry',
  query,
  of: TELEMETRY.list,
  conditions: getConditions(query, false),
})

/** Telemetry routes of the client and, for device facts, of the provider. */
export const telemetryRoutes = (
  ctx: AppContext,
): ReturnType<typeof telemetryLists> &
  Handlers<'readTelemetrySeries' | 'readTelemetry' | 'uploadTelemetry'> => ({
  ...telemetryLists(ctx),
  readTelemetrySeries,
  readTelemetry: readTelemetry(ctx),
  uploadTelemetry: uploadTelemetry(ctx),
})
