import type { Api, CaptureGap, HandlerInput } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { timeRange } from '../../http/time-range.ts'
import { listReports, type ReportList, whereIn } from '../report-list.ts'
import { GAP_LIST, isOpen, reachesBeyond } from './gap-store.ts'

type Query = HandlerInput<Api['listCaptureGapsOfUser']>['query']

/** Routes of capture gaps. */
export const captureRoutes = ({
  cursors,
  now,
}: Pick<AppContext, 'cursors' | 'now'>): Handlers<'listCaptureGaps' | 'listCaptureGapsOfUser'> => ({
  listCaptureGaps(context, { query }) {
    const { device_user_reference } = query
    return listReports<CaptureGap>(context, {
      cursors,
      now,
      name: `capture_gaps${since(query)}`,
      action: 'capture_gaps:list',
      ...listQuery(query),
      narrowed: device_user_reference === undefined ? undefined : (q) => findUser(q, device_user_reference),
    })
  },
  listCaptureGapsOfUser: (context, { params: { device_user_reference }, query }) =>
    listReports<CaptureGap>(context, {
      cursors,
      now,
      name: `capture_gaps of ${device_user_reference}${since(query)}`,
      action: 'users.capture_gaps:list',
      ...listQuery(query),
      subject: (q) => findUser(q, device_user_reference),
    }),
})

/** `from` is not a bound of the list's time, so it belongs to the cursor's name. */
const since = ({ from }: Query): string => (from === undefined ? '' : ` since ${from}`)

/** A gap overlaps a period when it starts before its end and ends after its start. */
const listQuery = ({ from, ...query }: Query): Pick<ReportList, 'query' | 'of' | 'conditions'> => ({
  query,
  of: GAP_LIST,
  conditions: [
    ...whereIn('service', query.services),
    ...whereIn('reason', query.reasons),
    ...(query.is_open === undefined ? [] : [isOpen(query.is_open)]),
    ...(from === undefined ? [] : [reachesBeyond(timeRange({ from }).from)]),
  ],
})
