import type { AppContext } from '../../app-context.ts'
import type { DeviceContext, Handler, Handlers } from '../../http/context.ts'
import { hash } from 'node:crypto'
import type { Answer, Api, DeviceLog, HandlerInput, LOG_STATUSES, LogEntry } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import { nameOf, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import { findUser } from '../../device-users/store.ts'
import { listReports, type ReportList, whereIn } from '../report-list.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { findGroupOfDevice, findHoldings, heldBy, holderAt } from '../../device-records/store.ts'
import { insertLogs, LOG_LIST, logsOfLevels, noteAlert } from './log-store.ts'

type Cursors = Pick<AppContext, 'cursors' | 'now'>
type Filter = Pick<HandlerInput<Api['listDeviceLogs']>['query'], 'levels' | 'log_class' | 'payload_reference'>

/** Lists the logs of devices in the caller's groups, newest first, or counts them. */
export const listDeviceLogs =
  ({ cursors, now }: Cursors): Handler<'listDeviceLogs'> =>
  (context, { query }) => {
    const { device_reference, device_user_reference } = query
    const filters = filtersOf(query)
    return listReports<DeviceLog>(context, {
      cursors,
      now,
      name: 'device_logs',
      action: 'device_logs:list',
      query,
      // A device or user has few logs: their own index finds them.
      ...(device_reference === undefined && device_user_reference === undefined
        ? logsOfLevels(query.levels)
        : { of: LOG_LIST }),
      ...filters,
      conditions: [
        ...filters.conditions,
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

/** Lists logs of a device. Problem: not_found when the caller sees neither the device nor a log. */
export const listLogsOfDevice =
  ({ cursors, now }: Cursors): Handler<'listLogsOfDevice'> =>
  (context, { params: { device_reference }, query }) =>
    listReports<DeviceLog>(context, {
      cursors,
      now,
      name: `logs of ${device_reference}`,
      action: 'devices.logs:list',
      query,
      of: LOG_LIST,
      ...filtersOf(query),
      subject: (q) => findGroupOfDevice(q, device_reference),
    })

/** Lists logs of a user's devices. Problem: not_found when the caller sees neither the user nor a log. */
export const listLogsOfUser =
  ({ cursors, now }: Cursors): Handler<'listLogsOfUser'> =>
  (context, { params: { device_user_reference }, query }) =>
    listReports<DeviceLog>(context, {
      cursors,
      now,
      name: `logs of user ${device_user_reference}`,
      action: 'users.logs:list',
      query,
      of: LOG_LIST,
      ...filtersOf(query),
      subject: (q) => findUser(q, device_user_reference),
    })

/** Filters that all three lists share. */
const filtersOf = ({
  levels,
  log_class,
  payload_reference,
}: Filter): Pick<ReportList, 'conditions' | 'walked'> => ({
  conditions: [
    ...whereIn('log_level', levels),
    ...whereIn('log_class', log_class === undefined ? undefined : [log_class]),
  ],
  ...(payload_reference !== undefined && {
    walked: { column: 'payload_reference', cast: 'text', values: [payload_reference] },
  }),
})

/** Maximum number of logs of one client per transaction. */
const MOST_TOGETHER = 1000

interface Uploaded extends Pick<DeviceContext, 'caller' | 'now'> {
  logs: readonly LogEntry[]
}
type Status = (typeof LOG_STATUSES)[number]

/** Stores device logs; repeats are stored once. Problem: too_many_requests per device, before anything is stored. */
function uploadLogs(ctx: AppContext): Handler<'uploadLogs'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(ctx.config.rates.reports)
  const uploads = new AuditedBatcher<Uploaded, Status[]>({
    ...ctx,
    work: storeLogs,
    most: MOST_TOGETHER,
    sizeOf: ({ logs }) => logs.length,
  })
  return async (context, { body: { logs } }) => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller), logs.length)
    if (early) throw tooManyRequests(context, early)
    const statuses = await context.writeBatched(uploads, { caller, now, logs })
    return { logs: logs.map(({ log_id }, i) => ({ log_id, status: statuses[i] as Status })) }
  }
}

/** Assigns each log to the holder of the device at that time, as for payloads. */
async function storeLogs(tx: Tx, uploaded: readonly Uploaded[]): Promise<Status[][]> {
  const holdings = await findHoldings(tx, [...new Set(uploaded.map(({ caller }) => caller.device_id))])
  const statuses = await insertLogs(
    tx,
    uploaded.flatMap(({ caller: { device_id }, now, logs }) =>
      logs.map((entry) => ({
        device_id,
        entry,
        holder: holderAt(holdings.get(device_id), entry.log_datetime),
        received_at: now,
      })),
    ),
  )
  return uploaded.map(({ logs }) => statuses.splice(0, logs.length))
}

/** Rate limit of alerts per device: people read them. */
const RATE = { per_second: 1 / 60, burst: 20 }
/** Seconds within which the same text without an id is one alert. */
const SAME_WORDS_SECONDS = 3600

type Stated = HandlerInput<Api['reportAlert']>['body']

/**
 * Raises an AndroidAlert in the device's group. A repeat raises nothing; the same subject of a device is one alert with
 * occurrences. Problem: too_many_requests.
 */
function reportAlert(ctx: Pick<AppContext, 'config'>): Handler<'reportAlert'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(RATE)
  return async (context, { body }): Promise<Answer<Api['reportAlert']>> => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller))
    if (early) throw tooManyRequests(context, early)
    const { device_id, device_reference, group_id } = caller
    await context.write(async (tx) => {
      if (!(await noteAlert(tx, device_id, idOf(body, now), now))) return
      await raiseAlert(tx, {
        alert_type: 'AndroidAlert',
        alert_scopes: ['ops'],
        alert_targets: ['client'],
        alert_key_type: 'Scoped',
        alert_key: `phone ${device_reference} ${digest(body.subject)}`,
        text: 'phone_reports',
        values: { device_reference, subject: body.subject, message: body.message },
        alert_severity: body.severity,
        related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
        group_id,
        now,
      })
    })
    return {}
  }
}

/** Identifies repeats by the device's id, else by the text within the hour. */
const idOf = ({ alert_id, ...words }: Stated, now: number): string =>
  alert_id ?? digest(JSON.stringify([words, Math.floor(now / SAME_WORDS_SECONDS)]))

const digest = (text: string): string => hash('sha256', text, 'base64url')

type Rows = 'listDeviceLogs' | 'listLogsOfDevice' | 'listLogsOfUser' | 'uploadLogs' | 'reportAlert'

/** Routes of device logs and device alerts. */
export const deviceLogRoutes = (ctx: AppContext): Handlers<Rows> => ({
  listDeviceLogs: listDeviceLogs(ctx),
  listLogsOfDevice: listLogsOfDevice(ctx),
  listLogsOfUser: listLogsOfUser(ctx),
  uploadLogs: uploadLogs(ctx),
  reportAlert: reportAlert(ctx),
})
