import type { Api, HandlerInput, PayloadMetric } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { type Condition, groupsOf } from '../report-list.ts'
import { findGroupOfDevice, heldBy } from '../../device-records/store.ts'
import { type Counted, type CountedRow, countCounts, readCounts } from './count-store.ts'
import { ofTypes, withinLanes } from './metric-store.ts'
import { periodsWithin } from './periods.ts'

type Input = HandlerInput<Api['countMetrics']>

/** Payload metrics summed by period, device, user or group. */
export const countMetrics =
  ({ cursors }: Pick<AppContext, 'cursors'>): Handler<'countMetrics'> =>
  (context, { params, query }) =>
    context.readFromReplica(async (q) => {
      const counted = await resolve(q, context, params, query)
      if (query.type === 'total') return { total: counted ? await countCounts(q, counted) : 0 }
      const name = `metrics ${params.scope} by ${params.subject}`
      const page = await pageOf<CountedRow, readonly [number]>(
        cursors,
        { name, client_id: q.client_id, query },
        async (after, limit) => (counted ? readCounts(q, counted, after?.[0], limit) : []),
        ({ key }) => [key],
      )
      return {
        ...page,
        data: page.data.map(({ id, counts, count }): PayloadMetric => ({ id, counts, count })),
      }
    })

/** Resolves the parameters; undefined when the count is empty by definition. */
async function resolve(
  q: Queryable,
  { caller: { access }, action }: PortalContext,
  { scope, subject }: Input['params'],
  query: Input['query'],
): Promise<Counted | undefined> {
  const { device_reference, device_user_reference, payload_types } = query
  const { from, to } = periodsWithin(scope, query)
  const groups = await groupsOf(q, access.groups(action), query.groups)
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
    isOfOne: device !== undefined || device_user_reference !== undefined,
    isConfined: groups !== undefined || lanes.some((lane) => lane.groups !== 'all'),
    conditions,
  }
}

const within =
  (column: 'device_id' | 'group_id', ids: readonly number[]): Condition =>
  (bind) =>
    `r.${column} = any(${bind(ids, 'int[]')})`
