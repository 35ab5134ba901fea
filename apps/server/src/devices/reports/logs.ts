import { hash } from 'node:crypto'
import type { Api, DeviceLog, HandlerInput, LogLevel } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { getName, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import type { Handler, Handlers } from '../../http/context.ts'
import { reportIngest } from './ingest.ts'
import { type Condition, type ListContext, listReports, type ReportList, whereIn } from './list.ts'
import { LOGS, noteAlert } from './store.ts'

type Query = HandlerInput<Api['listDeviceLogs']>['query']

/** Lists of device logs, of all devices, of one and of one device user. */
export const logLists = (
  ctx: ListContext,
): Handlers<'listDeviceLogs' | 'listLogsOfDevice' | 'listLogsOfUser'> => ({
  listDeviceLogs: (context, { query }) => {
    const indexed = ofIndexedFilter(query)
    return listReports<DeviceLog>(ctx, context, { ...getList(query, indexed.walked?.column), ...indexed })
  },
  listLogsOfDevice: (context, { params: subject, query }) =>
    listReports<DeviceLog>(ctx, context, { ...getList(query), subject }),
  listLogsOfUser: (context, { params: subject, query }) =>
    listReports<DeviceLog>(ctx, context, { ...getList(query), subject }),
})

/** Logs that a total reads at most when it reads their messages. */
const SEARCHED = 20_000
const hasText =
  (search: string): Condition =>
  (bind) =>
    `position(lower(${bind(search, 'text')}) in lower(r.log_message)) > 0`

/** The list and its filters, except the one by the `walked` column. */
const getList = (query: Query, walked?: string): ReportList => ({
  name: 'device_logs',
  query,
  of: LOGS.list,
  conditions: [
    ...(walked === 'log_level' ? [] : whereIn('log_level', query.levels)),
    ...(walked === 'log_class' || query.log_class === undefined
      ? []
      : whereIn('log_class', [query.log_class])),
    ...(query.search === undefined ? [] : [hasText(query.search)]),
  ],
  ...(query.search !== undefined && { counted: SEARCHED }),
  ...(query.payload_reference !== undefined && {
    walked: { column: 'payload_reference', cast: 'text', values: [query.payload_reference] },
  }),
})

/** Levels with a partial index. */
const RARE: ReadonlySet<LogLevel> = new Set(['WARN', 'ERROR'])

/** The index of rare levels, or of classes, unless a filter by device, person or payload has its own. */
export function ofIndexedFilter({
  levels,
  log_class,
  device_reference,
  device_user_reference,
  payload_reference,
}: Partial<Query>): Pick<ReportList, 'walked'> & Partial<Pick<ReportList, 'of'>> {
  if ((device_reference ?? device_user_reference ?? payload_reference) !== undefined) return {}
  if (levels?.every((level) => RARE.has(level)))
    return {
      of: { ...LOGS.list, only: `r.log_level in ('WARN', 'ERROR')` },
      walked: { column: 'log_level', cast: 'text', values: levels },
    }
  return log_class === undefined ? {} : { walked: { column: 'log_class', cast: 'text', values: [log_class] } }
}

/** Stores device logs; repeats are stored once. */
function uploadLogs(ctx: AppContext): Handler<'uploadLogs'> {
  const ingest = reportIngest(ctx, LOGS)
  return async (context, { body: { logs } }) => {
    ingest.admit(context, logs.length)
    const reports = logs.map(({ log_id, log_datetime, ...values }) => ({
      reference: log_id,
      at: log_datetime,
      values,
    }))
    const statuses = await ingest.store(context, reports, undefined)
    return {
      logs: reports.map(({ reference }, i) => ({ log_id: reference, status: statuses[i] ?? 'stored' })),
    }
  }
}

/** Rate limit of alerts per device: people read them. */
const RATE = { per_second: 1 / 60, burst: 20 }
/** Seconds within which the same text without an id is one alert. */
const SAME_WORDS_SECONDS = 3600

/**
 * Raises an AndroidAlert in the device's group. A repeat raises nothing; the same subject of a device is one alert with
 * occurrences. Problem: too_many_requests.
 */
function reportAlert(ctx: Pick<AppContext, 'config'>): Handler<'reportAlert'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(RATE)
  return async (context, { body }) => {
    const { caller, now } = context
    const early = buckets?.take(getName(caller))
    if (early) throw tooManyRequests(context, early)
    const { device_id, device_reference, group_id } = caller
    await context.write(async (tx) => {
      if (!(await noteAlert(tx, device_id, getId(body, now), now))) return
      await raiseAlert(tx, {
        alert_type: 'AndroidAlert',
        alert_scopes: ['ops'],
        alert_key: `device ${device_reference} ${digest(body.subject)}`,
        text: 'device_reports',
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
const getId = ({ alert_id, ...words }: HandlerInput<Api['reportAlert']>['body'], now: number): string =>
  alert_id ?? digest(JSON.stringify([words, Math.floor(now / SAME_WORDS_SECONDS)]))

const digest = (text: string): string => hash('sha256', text, 'base64url')

/** Routes of device logs and device alerts. */
export const logRoutes = (
  ctx: AppContext,
): ReturnType<typeof logLists> & Handlers<'uploadLogs' | 'reportAlert'> => ({
  ...logLists(ctx),
  uploadLogs: uploadLogs(ctx),
  reportAlert: reportAlert(ctx),
})
