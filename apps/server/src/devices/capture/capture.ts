import type { Api, CaptureGap, GapReason, HandlerInput } from '@custodia/contract'
import { raiseAlert, settleAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { clientColumn, listClients } from '../../clients/store.ts'
import type { Handlers } from '../../http/context.ts'
import { timeRange } from '../../http/time-range.ts'
import { periodicJob } from '../../jobs/kind.ts'
import type { Bind } from '../../ports/database/binder.ts'
import type { Tx } from '../../ports/database/lease.ts'
import type { TimeOrdered } from '../../ports/database/time-ordered.ts'
import { type ListContext, type ReportList, listReports, whereIn } from '../reports/list.ts'
import { type ChangedGap, countGapDays, isFirst, noteGaps, SERVICES_OF_GAPS } from './sweep-store.ts'

/** Capture gaps for lists, by their begin. */
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

const FOLDED: TimeOrdered = { ...GAP_LIST, columns: `${GAP_LIST.columns}, ${SERVICES_OF_GAPS} as services` }

/** SQL condition: whether a gap is open. */
const isOpen = (open: boolean) => (): string => `(r.to_at is null) = ${open}`

/** SQL condition: the gap extends past a time (epoch seconds). */
const reachesBeyond =
  (at: number) =>
  (bind: Bind): string =>
    `(r.to_at is null or r.to_at > ${bind(at, 'bigint')})`

/** Routes of capture gaps. */
export const captureRoutes = (
  ctx: ListContext,
): Handlers<'countCaptureGaps' | 'listCaptureGaps' | 'listCaptureGapsOfUser'> => ({
  countCaptureGaps: async (context) => {
    const groups = context.caller.access.groups(context.action)
    return { days: await context.readFromReplica((q) => countGapDays(q, groups, ctx.now())) }
  },
  listCaptureGaps: (context, { query }) => listReports<CaptureGap>(ctx, context, getList(query)),
  listCaptureGapsOfUser: (context, { params: subject, query }) =>
    listReports<CaptureGap>(ctx, context, { ...getList(query), subject }),
})

/** A gap overlaps a period when it starts before its end and ends after its start. */
const getList = ({ from, ...query }: HandlerInput<Api['listCaptureGaps']>['query']): ReportList => ({
  // `from` is not a bound of the list's time, so it belongs to the cursor's name.
  name: `capture_gaps${from === undefined ? '' : ` since ${from}`}`,
  query,
  of: query.is_folded ? FOLDED : GAP_LIST,
  conditions: [
    ...whereIn('service', query.services),
    ...whereIn('reason', query.reasons),
    ...(query.is_open === undefined ? [] : [isOpen(query.is_open)]),
    ...(query.is_folded ? [isFirst(query.services)] : []),
    ...(from === undefined ? [] : [reachesBeyond(timeRange({ from }).from)]),
  ],
})

/** Users per transaction. */
const BATCH = 500

/** Compares the services of each user with what the devices record, stores gaps and raises alerts. */
export const watchCapture = periodicJob({
  name: 'devices.capture',
  every: 600,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) await watchCaptureOf(ctx, client_id, signal)
  },
})

/** Processes the users of one client. Each batch commits with its alerts, so an interrupted run loses nothing. */
export async function watchCaptureOf(
  { db }: Pick<AppContext, 'db'>,
  client_id: number,
  signal: AbortSignal,
  most = BATCH,
): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) {
    signal.throwIfAborted()
    const from: number = after
    after = await db.write(client_id, async (tx) => {
      const { begun, whole, next } = await noteGaps(tx, { after: from, most })
      for (const same of Map.groupBy(begun, (gap) =>
        JSON.stringify([gap.device_user_id, gap.reason]),
      ).values())
        await alertOn(tx, same as [ChangedGap, ...ChangedGap[]])
      for (const person of whole)
        await settleAlert(tx, { ...getAlert(person.device_user_reference), now: person.now })
      return next
    })
  }
}

const getAlert = (device_user_reference: string) =>
  ({
    alert_scopes: ['ops'],
    alert_key: `device user capture ${device_user_reference}`,
  }) as const

const TEXTS = {
  no_device: 'capture_no_device',
  unlicensed: 'capture_unlicensed',
  silent: 'capture_silent',
  service_off: 'capture_service_off',
  not_allowed: 'capture_not_allowed',
  no_device_admin: 'capture_no_device_admin',
  no_sim: 'capture_no_sim',
  no_uploads: 'capture_no_uploads',
} as const satisfies Record<GapReason, string>

/** Raises one occurrence for all services that a user lacks for the same reason. */
async function alertOn(tx: Tx, gaps: [ChangedGap, ...ChangedGap[]]): Promise<void> {
  const [{ device_user_reference, device_reference, reason, group_id, now }] = gaps
  await raiseAlert(tx, {
    ...getAlert(device_user_reference),
    alert_type: 'DeviceUserAlert',
    text: TEXTS[reason],
    values: {
      device_user_reference,
      device_reference: device_reference ?? '',
      services: gaps.map(({ service }) => service).join(', '),
    },
    alert_severity: 'Medium',
    related_entities: [
      { entity_id: device_user_reference, entity_type: 'DeviceUser' },
      ...(device_reference === null ? [] : [{ entity_id: device_reference, entity_type: 'Device' as const }]),
    ],
    group_id,
    now,
  })
}
