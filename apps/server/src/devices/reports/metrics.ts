import {
  type Api,
  DAY,
  type DeviceMetric,
  fault,
  type HandlerInput,
  type MetricScope,
  type PayloadMetric,
} from '@custodia/contract'
import { deviceNames, personNames } from '../../device-records/names-store.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import type { Handlers, PortalContext } from '../../http/context.ts'
import { getPage } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { getStart, timeRange } from '../../http/time-range.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { type Condition, getGroups, type ListContext, listReports } from './list.ts'
import {
  countCounts,
  type CountCursor,
  type MetricQuery,
  type CountedRow,
  metricList,
  ofTypes,
  readCounts,
  withinLanes,
} from './metrics-store.ts'

/** 1970-01-01 is a Thursday: days since Monday. */
const EPOCH_WEEKDAY = 3

const starts = {
  Daily: (at) => getStart('day', at),
  Weekly: (at) => at - ((at + EPOCH_WEEKDAY * DAY) % (7 * DAY)),
  Monthly: (at) => getStart('month', at),
  Yearly: (at) => getStart('year', at),
} as const satisfies Record<Exclude<MetricScope, 'Summary'>, (at: number) => number>

/** Start of the period that contains a time, in epoch seconds, never before the epoch. */
const periodStart = (scope: Exclude<MetricScope, 'Summary'>, at: number): number =>
  Math.max(0, starts[scope](at))

/** End of the period that contains a time. */
const ends = {
  Daily: (at) => getStart('day', at, 1),
  Weekly: (at) => starts.Weekly(at) + 7 * DAY,
  Monthly: (at) => getStart('month', at, 1),
  Yearly: (at) => getStart('year', at, 1),
} as const satisfies typeof starts

interface Dates {
  from?: string | undefined
  to?: string | undefined
}

/**
 * Periods that start in [from, to) in epoch seconds, and the end of the last one; `from` rounds down to its period.
 * Problem: invalid_input for the scope of all time.
 */
function periodsWithin(scope: MetricScope, query: Dates): { from: number; to: number; until: number } {
  const { from, to } = timeRange(query)
  if (scope !== 'Summary') {
    const until = query.to === undefined ? to : ends[scope](to - 1)
    return { from: periodStart(scope, from), to, until }
  }
  const given = (['from', 'to'] as const).filter((field) => query[field] !== undefined)
  if (given.length > 0)
    throw new Problem('invalid_input', {
      faults: given.map((field) => fault(field, 'not_allowed', { field })),
    })
  return { from, to, until: to }
}

type Input = HandlerInput<Api['countMetrics']>

/** Routes of payload metrics: sums by period, device, user or group, and the metrics of a scope, newest first. */
export const metricRoutes = (ctx: ListContext): Handlers<'countMetrics' | 'listMetrics'> => ({
  countMetrics: (context, { params, query }) =>
    context.readFromReplica(async (q) => {
      const counted = await resolve(q, context, params, query)
      if (query.type === 'total') return { total: counted ? await countCounts(q, counted) : 0 }
      const name = `metrics ${params.scope} by ${params.subject}`
      const page = await getPage<CountedRow, CountCursor>(
        ctx.cursors,
        { name, client_id: q.client_id, query },
        async (after, limit) => (counted ? readCounts(q, counted, after, limit) : []),
        ({ key, count }) => [key, count],
      )
      return { ...page, data: await namedCounts(q, context, params.subject, page.data) }
    }),
  listMetrics: async (context, { params: { scope }, query }) =>
    listReports<DeviceMetric>(ctx, context, {
      name: `metrics ${scope}`,
      query,
      range: periodsWithin(scope, query),
      of: metricList(scope),
      conditions: [
        ...(query.payload_types ? [ofTypes(query.payload_types)] : []),
        ...withinLanes(context.caller.access.lanes(context.action)),
      ],
    }),
})

/** Adds the names of devices or people to their sums. */
async function namedCounts(
  q: Queryable,
  { caller: { access } }: PortalContext,
  subject: Input['params']['subject'],
  rows: readonly CountedRow[],
): Promise<PayloadMetric[]> {
  const ids = rows.flatMap(({ id }) => id ?? [])
  const devices = subject === 'devices' ? await deviceNames(q, access, ids) : undefined
  const people = subject === 'users' ? await personNames(q, access, ids) : undefined
  return rows.map(({ id, counts, count }) => {
    const name = devices?.get(id ?? '')?.name ?? people?.get(id ?? '')
    return { id, counts, count, ...(name !== undefined && { name }) }
  })
}

/** Resolves the parameters; undefined when the count is empty by definition. */
async function resolve(
  q: Queryable,
  { caller: { access }, action }: PortalContext,
  { scope, subject }: Input['params'],
  query: Input['query'],
): Promise<MetricQuery | undefined> {
  const { device_reference, device_user_reference, payload_types } = query
  const { from, to, until } = periodsWithin(scope, query)
  const groups = await getGroups(q, access.groups(action), query.groups)
  const device = device_reference === undefined ? undefined : await findGroupOfDevice(q, device_reference)
  if (from >= to || groups?.length === 0 || (device_reference !== undefined && !device)) return undefined
  const lanes = access.lanes(action)
  const conditions: Condition[] = [
    ...(device ? [within('device_id', [device.device_id])] : []),
    ...(device_user_reference === undefined ? [] : [heldBy(device_user_reference)]),
    ...(groups ? [within('group_id', groups)] : []),
    ...(payload_types ? [ofTypes(payload_types)] : []),
    ...withinLanes(lanes),
  ]
  return {
    scope,
    subject,
    from,
    to,
    until,
    isOfOne: device !== undefined || device_user_reference !== undefined,
    isConfined: groups !== undefined || lanes.some((lane) => lane.groups !== 'all'),
    conditions,
  }
}

const within =
  (column: 'device_id' | 'group_id', ids: readonly number[]): Condition =>
  (bind) =>
    `r.${column} = any(${bind(ids, 'int[]')})`
