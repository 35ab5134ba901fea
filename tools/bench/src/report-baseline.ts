/**
 * The floor of the lists of device reports: node:http and pg with the statements of the server's own handlers, and nothing else: no
 * token, no request wrapper, no checks, no audit entry, and no position is opened. The address holds the case and the role of the person;
 * the environment holds the database role.
 */
import { api } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { activityRoutes } from '../../../apps/server/src/activities/routes.ts'
import type { AppContext } from '../../../apps/server/src/app-context.ts'
import { captureRoutes } from '../../../apps/server/src/devices/capture/capture.ts'
import { commandLists } from '../../../apps/server/src/devices/commands/routes.ts'
import type { DayKeys } from '../../../apps/server/src/devices/reports/gps-keys.ts'
import { gpsLists } from '../../../apps/server/src/devices/reports/gps.ts'
import { logLists } from '../../../apps/server/src/devices/reports/logs.ts'
import { metricRoutes } from '../../../apps/server/src/devices/reports/metrics.ts'
import { telemetryLists } from '../../../apps/server/src/devices/reports/telemetry.ts'
import type { PortalContext } from '../../../apps/server/src/http/context.ts'
import { parseQueryString } from '../../../apps/server/src/http/query-string.ts'
import type { Queryable } from '../../../apps/server/src/ports/database/lease.ts'
import { REPORT_CASES, type ReportCase } from './reports.ts'
import { accessOfRole, serveBare } from './server.ts'

const cursors = { open: () => undefined, seal: () => '' } as unknown as AppContext['cursors']
/** Opens no key that the database has. */
const noKeys = { tryOpen: async () => undefined } as unknown as DayKeys
const ctx = { cursors, now: () => Math.floor(Date.now() / 1000) }
const getHandlers = (db: AppContext['db']) => ({
  ...gpsLists(ctx, noKeys),
  ...captureRoutes(ctx),
  ...metricRoutes(ctx),
  ...activityRoutes(ctx),
  ...logLists(ctx),
  ...commandLists(ctx),
  ...telemetryLists({ ...ctx, db }),
})

serveBare('report-floor', async (q, { searchParams }) => {
  const asked = REPORT_CASES.find(({ name }) => name === searchParams.get('case'))
  if (!asked) throw new Error('no such case')
  // The lists of the provider ask for no rights.
  const access = asked.isProvider ? undefined : await accessOfRole(q, searchParams.get('role') ?? '')
  return JSON.stringify(await getHandler(asked, q)(getContext(q, access, asked), getInput(asked)))
})

type Bare = (context: PortalContext, input: unknown) => Promise<unknown>

function getHandler({ call }: ReportCase, q: Queryable): Bare {
  // The client is known, and need not be looked up.
  const global = async () => ({ client: 'bench', deleted_at: null })
  const db = {
    acrossClients: (work: (q: Queryable) => unknown) => work(q),
    global,
  } as unknown as AppContext['db']
  return (getHandlers(db) as unknown as Record<string, Bare>)[call] as Bare
}

function getContext(q: Queryable, access: Access | undefined, { call }: ReportCase): PortalContext {
  const read = (work: (q: Queryable) => unknown) => work(q)
  const caller = { client: 'bench', client_id: q.client_id, access }
  return { caller, action: api[call].action, readFromReplica: read, read } as unknown as PortalContext
}

function getInput({ call, params, query }: ReportCase): unknown {
  const schema = (api[call] as { query?: { parse: (value: unknown) => unknown } }).query
  return { params, query: schema?.parse(parseQueryString(String(new URLSearchParams(query)))) }
}
