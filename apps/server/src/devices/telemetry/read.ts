import type { Telemetry } from '@custodia/contract'
import { EnvelopeError, openMeta } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { END_OF_TIME, timeRange } from '../../http/time-range.ts'
import { reportKeyContext } from '../../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../../ports/keys/port.ts'
import { groupsOf } from '../report-list.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import { findSeries } from './series-store.ts'
import { findTelemetry, type StoredTelemetry } from './telemetry-store.ts'

/** Reads one report and decrypts its sealed content. Problem: not_found. */
export const readTelemetry =
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
export const readTelemetrySeries: Handler<'readTelemetrySeries'> = (
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
