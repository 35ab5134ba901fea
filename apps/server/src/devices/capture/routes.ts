import type { Api, CaptureGap, HandlerInput } from '@custodia/contract'
import type { Handlers } from '../../http/context.ts'
import { timeRange } from '../../http/time-range.ts'
import { type ListContext, listReports, type ReportList, whereIn } from '../reports/list.ts'
import { clientColumn } from '../../clients/store.ts'
import type { Bind } from '../../ports/database/binder.ts'
import type { TimeOrdered } from '../../ports/database/newest-first.ts'

/** Capture gaps for lists, newest start first. */
const GAP_LIST: TimeOrdered = {
  table: 'capture_gaps',
  time: 'from_at',
  id: 'gap_id',
  id_type: 'bigint',
  columns: `${clientColumn('r.client_id')}, r.gap_id, u.device_user_reference, g.group_reference as "group", r.service, r.reason,
    d.device_reference, r.from_at, r.to_at`,
  joins: `join device_users u on u.client_id = r.client_id and u.device_user_id = r.device_user_id
    join groups g on g.client_id = r.client_id and g.group_id = r.group_id
    left join devices d on d.client_id = r.client_id and d.device_id = r.device_id`,
}

/** SQL condition: whether a gap is open. */
const isOpen = (open: boolean) => (): string => `(r.to_at is null) = ${open}`

/** SQL condition: the gap extends past a time (epoch seconds). */
const reachesBeyond =
  (at: number) =>
  (bind: Bind): string =>
    `(r.to_at is null or r.to_at > ${bind(at, 'bigint')})`

/** Routes of capture gaps. */
export const captureRoutes = (ctx: ListContext): Handlers<'listCaptureGaps' | 'listCaptureGapsOfUser'> => ({
  listCaptureGaps: (context, { query }) => listReports<CaptureGap>(ctx, context, listOf(query)),
  listCaptureGapsOfUser: (context, { params: subject, query }) =>
    listReports<CaptureGap>(ctx, context, { ...listOf(query), subject }),
})

/** A gap overlaps a period when it starts before its end and ends after its start. */
const listOf = ({ from, ...query }: HandlerInput<Api['listCaptureGaps']>['query']): ReportList => ({
  // `from` is not a bound of the list's time, so it belongs to the cursor's name.
  name: `capture_gaps${from === undefined ? '' : ` since ${from}`}`,
  query,
  of: GAP_LIST,
  conditions: [
    ...whereIn('service', query.services),
    ...whereIn('reason', query.reasons),
    ...(query.is_open === undefined ? [] : [isOpen(query.is_open)]),
    ...(from === undefined ? [] : [reachesBeyond(timeRange({ from }).from)]),
  ],
})
