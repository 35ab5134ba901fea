import type { AppContext } from '../../app-context.ts'
import type { Handler, Handlers, PortalContext } from '../../http/context.ts'
import { findUser } from '../../device-users/store.ts'
import { groupsOf, listReports } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { conditionsOf } from './concerns.ts'
import { findTelemetry, LATEST_LIST, type StoredTelemetry, TELEMETRY_LIST } from './telemetry-store.ts'
import type { Page, ProviderTelemetryRow, Telemetry, TelemetryRow, Total } from '@custodia/contract'
import { clientOf } from '../../clients/store.ts'
import { pageOf } from '../../http/page.ts'
import {
  countProviderRows,
  findProviderRows,
  findSeries,
  type ProviderFilter,
  type ProviderKey,
} from './provider-store.ts'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import { Problem } from '../../http/problem.ts'
import { END_OF_TIME, timeRange } from '../../http/time-range.ts'
import { reportKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { uploadTelemetry } from './upload.ts'

/** Reads one report and decrypts its sealed content. Problem: not_found. */
const readTelemetry =
  (ctx: Pick<AppContext, 'keys' | 'log'>): Handler<'readTelemetry'> =>
  async (context, { params: { device_reference, telemetry_id } }) => {
    const stored = await context.readFromReplica((q) => findTelemetry(q, device_reference, telemetry_id))
    if (!stored || !context.caller.access.permits(context.action, stored))
      throw new Problem('not_found', { detail: stored ? 'not visible to the caller' : 'no such report' })
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
  { client, device_reference, telemetry_id, wrapped_key, iv, sealed_meta }: StoredTelemetry,
): Promise<Telemetry | null> {
  let dek: Buffer | undefined
  try {
    dek = await keys.unwrap(wrapped_key, reportKeyContext(client, device_reference))
    const identity = { client, payload_reference: telemetry_id, kind: 'telemetry' }
    return openMeta(dek, identity, iv.toString('base64'), sealed_meta.toString('base64')) as Telemetry
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
const MOST_STEPS = 240
const DAY = 86_400
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
    const groups = await groupsOf(q, context.caller.access.groups(context.action), undefined)
    const { from, to } = rangeOf(context, query)
    const step = Math.max(60, Math.ceil((to - from) / MOST_STEPS))
    const data = await findSeries(q, { device_id: about.device_id, groups, from, to, step })
    if (data.length === 0 && !context.caller.access.permits(context.action, about))
      throw new Problem('not_found', { detail: 'not visible to the caller' })
    return { from, to, step, data }
  })

/** Period of a series: by default the last week; at most a year. */
function rangeOf({ now }: Pick<PortalContext, 'now'>, query: Parameters<typeof timeRange>[0]) {
  const stated = timeRange(query)
  const to = stated.to === END_OF_TIME ? now + 1 : stated.to
  const from = query.from === undefined ? to - SERIES_DAYS * DAY : stated.from
  return { from: Math.max(0, from, to - MAX_PERIOD), to: Math.max(to, from) }
}

type Cursors = Pick<AppContext, 'cursors' | 'now'>

/** Lists telemetry in the caller's groups, newest first, or counts it. */
export const listTelemetry =
  ({ cursors, now }: Cursors): Handler<'listTelemetry'> =>
  (context, { query }) => {
    const { device_reference, device_user_reference, latest } = query
    return listReports<TelemetryRow>(context, {
      cursors,
      now,
      name: 'telemetry',
      action: 'telemetry:list',
      query,
      of: latest ? LATEST_LIST : TELEMETRY_LIST,
      conditions: [
        ...conditionsOf(query),
        // With both filters the list scans the device index and checks the holder at that time.
        ...(device_reference !== undefined && device_user_reference !== undefined
          ? [heldBy(device_user_reference)]
          : []),
      ],
      narrowed:
        device_reference !== undefined
          ? (q) => findGroupOfDevice(q, device_reference)
          : device_user_reference !== undefined
            ? (q) => findUser(q, device_user_reference)
            : undefined,
    })
  }

/** Lists telemetry of a device. Problem: not_found when the caller sees neither the device nor a report. */
export const listTelemetryOfDevice =
  ({ cursors, now }: Cursors): Handler<'listTelemetryOfDevice'> =>
  (context, { params: { device_reference }, query }) =>
    listReports<TelemetryRow>(context, {
      cursors,
      now,
      name: `telemetry of ${device_reference}`,
      action: 'devices.telemetry:list',
      query,
      of: TELEMETRY_LIST,
      conditions: conditionsOf(query),
      subject: (q) => findGroupOfDevice(q, device_reference),
    })

type Parts = Pick<AppContext, 'cursors' | 'db'>
interface Query {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** Newest report of each device of all clients: device facts only, without holders or sealed content. */
export const listTelemetryOfClients =
  (ctx: Parts): Handler<'listTelemetryOfClients'> =>
  (_context, { query }) =>
    listRows(ctx, 'telemetry of clients', query, query)

/** The same for one client. Problem: not_found. */
export const listTelemetryOfClient =
  (ctx: Parts): Handler<'listTelemetryOfClient'> =>
  async (_context, { params, query }) => {
    const { client } = await clientOf(ctx, params.client)
    return listRows(ctx, `telemetry of client ${client}`, query, { ...query, clients: [client] })
  }

async function listRows(
  { cursors, db }: Parts,
  name: string,
  query: Query,
  filter: ProviderFilter,
): Promise<Page<ProviderTelemetryRow> | Total> {
  const { clients, concerns, os_version, app_version, model } = filter
  const wanted = { clients, concerns, os_version, app_version, model }
  if (query.type === 'total') return db.acrossClients((q) => countProviderRows(q, wanted))
  const { data, ...rest } = await pageOf(
    cursors,
    { name, client_id: 'all', query },
    (from: ProviderKey | undefined, limit) =>
      db.acrossClients((q) => findProviderRows(q, wanted, from, limit)),
    ({ at, row_id }): ProviderKey => [at, row_id],
  )
  return { ...rest, data: data.map(({ at: _at, row_id: _row_id, ...row }) => row) }
}

type Rows =
  | 'listTelemetry'
  | 'listTelemetryOfDevice'
  | 'readTelemetrySeries'
  | 'readTelemetry'
  | 'listTelemetryOfClients'
  | 'listTelemetryOfClient'
  | 'uploadTelemetry'

/** Telemetry routes of the client and, for device facts, of the provider. */
export const telemetryRoutes = (ctx: AppContext): Handlers<Rows> => ({
  listTelemetry: listTelemetry(ctx),
  listTelemetryOfDevice: listTelemetryOfDevice(ctx),
  readTelemetrySeries,
  readTelemetry: readTelemetry(ctx),
  listTelemetryOfClients: listTelemetryOfClients(ctx),
  listTelemetryOfClient: listTelemetryOfClient(ctx),
  uploadTelemetry: uploadTelemetry(ctx),
})
