import type { BoundSocket } from 'node:net'
import type { EndpointName } from '@custodia/contract'
import Fastify, { type FastifyInstance } from 'fastify'
import { AccessCache } from './access/load.ts'
import { accountRoutes, defaultsRoutes } from './account/defaults.ts'
import { activityRoutes } from './activities/routes.ts'
import { sealedLogRoutes } from './activities/sealed-routes.ts'
import { internalAlertRoutes } from './alerts/internal-routes.ts'
import { notifyProvider } from './alerts/notify-provider.ts'
import { alertRoutes } from './alerts/routes.ts'
import type { AppContext } from './app-context.ts'
import { buildApp } from './app.ts'
import { carrierRoutes } from './carriers/routes.ts'
import { appAuthentication, appOfRequest } from './client-apps/authenticate-app.ts'
import { keySets } from './client-apps/key-sets.ts'
import { clientAppRoutes } from './client-apps/routes.ts'
import { hostInUrl } from './config.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import { seedDemo } from './demo/seed.ts'
import { certificateRoutes } from './destruction/certificates/issue.ts'
import { assertLedgerThere, replayLedger } from './destruction/store.ts'
import { deviceUserRoutes } from './device-users/routes.ts'
import { deviceAuthentication } from './devices/access-token.ts'
import { captureRoutes } from './devices/capture/capture.ts'
import { measureWaiting, waitingDevices } from './devices/commands/jobs.ts'
import { commandRoutes } from './devices/commands/routes.ts'
import { fleetRoutes } from './devices/fleet/routes.ts'
import { verify } from './devices/numbers/numbers.ts'
import { gpsRoutes } from './devices/reports/gps.ts'
import { logRoutes } from './devices/reports/logs.ts'
import { metricRoutes } from './devices/reports/metrics.ts'
import { telemetryRoutes } from './devices/reports/telemetry.ts'
import { deviceRoutes } from './devices/routes.ts'
import { enrolmentRoutes } from './enrolments/routes.ts'
import { type Feature, FEATURES, type FeatureCall, featureHandlers, getSearchPages } from './features.ts'
import { groupRoutes } from './groups/routes.ts'
import { tagRoutes } from './groups/tags/routes.ts'
import { watch, type WatchedProcess } from './health/metrics.ts'
import { serveHealth } from './health/routes.ts'
import type { Handlers } from './http/context.ts'
import { confirmedChange } from './identity-providers/jobs.ts'
import { claimMappingRoutes } from './identity-providers/mapping.ts'
import { identityProviders, deviceParties } from './identity-providers/providers.ts'
import { identityProviderRoutes } from './identity-providers/routes.ts'
import { JOB_KINDS } from './job-kinds.ts'
import type { Queue, WorkOptions } from './jobs/queue.ts'
import { deferredReleases, legalHoldRoutes } from './legal-holds/routes.ts'
import { licenseRoutes } from './licenses/routes.ts'
import { migrationFileRoutes, migrationRoutes } from './migrations/routes.ts'
import { signOffRoutes } from './migrations/sign-off.ts'
import { commentRoutes } from './payloads/comments/write.ts'
import { mediaRoutes } from './payloads/data/media-grant.ts'
import { findOpenings } from './payloads/detail/read-store.ts'
import { payloadReadRoutes } from './payloads/detail/routes.ts'
import { announcePayloads, readPayloadStatus } from './payloads/intake/announce.ts'
import { uploadPayload } from './payloads/intake/upload.ts'
import type { ReadSearchPage } from './payloads/lists/matching.ts'
import { playheadRoutes } from './payloads/playheads/routes.ts'
import { playRoutes } from './payloads/plays/routes.ts'
import type { FreeSpace } from './ports/disk-space.ts'
import { proposalRoutes } from './proposals/routes.ts'
import { ruleRoutes } from './proposals/rule.ts'
import { receiptRoutes } from './receipts/confirm.ts'
import { executionRoutes } from './retention/execution.ts'
import { deferredReview, destructionRoutes } from './retention/review/routes.ts'
import { deferredRetention, retentionRoutes } from './retention/routes.ts'
import { getDisposition, getTransferred } from './retention/store.ts'
import { roleRoutes } from './roles/routes.ts'
import { checkSealedLogs } from './sealed-log/contradictions.ts'
import { startSealing } from './sealed-log/seal.ts'
import { assigningRoles, assignmentRoutes } from './sessions/assign-roles.ts'
import { makeSessions } from './sessions/make-sessions.ts'
import { findPerson } from './sessions/people-store.ts'
import { peopleRoutes } from './sessions/people.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { knownClaims } from './sessions/tokens.ts'
import { staffRoutes } from './staff/routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { supportMode } from './support-access/enter-support-mode.ts'
import { supportAccessRoutes } from './support-access/routes.ts'
import { listApproved } from './support-access/store.ts'
import { clientRoutes } from './tenants/routes.ts'
import { reconciliationRoutes } from './transfers/reconciliation/reconcile.ts'
import { deferredTransfers, transferConfigRoutes } from './transfers/routes.ts'
import { transferRoutes } from './transfers/run-routes.ts'
import { integrityRoutes } from './verify/routes.ts'

/** Milliseconds between looks. */
const EVERY = 30_000
/** The operator gets a warning below this multiple of the reserve. */
const WARNED_AT = 4

/** Warns of disks that fill up, once each time, in the log and the provider's staff. @returns a function that ends the watch. */
function watchSpace(ctx: Pick<AppContext, 'db' | 'log' | 'now' | 'space'>): () => void {
  const low = new Set<string>()
  const timer = setInterval(() => void look(), EVERY)

  async function look(): Promise<void> {
    try {
      for (const space of await ctx.space.look()) await validate(space)
    } catch (error) {
      ctx.log.warn({ err: error }, 'free space could not be read')
    }
  }

  async function validate({ folder, free }: FreeSpace): Promise<void> {
    const isLow = free < WARNED_AT * ctx.space.reserve
    if (!isLow) low.delete(folder)
    if (!isLow || low.has(folder)) return
    ctx.log.warn({ folder, free }, 'a disk fills up')
    await notifyProvider(ctx, {
      alert_key: `space ${folder}`,
      text: 'space_low',
      values: { folder, free: String(Math.floor(free / 1_000_000)) },
      alert_severity: 'High',
    })
    // Only now: a warning that could not be written is tried again.
    low.add(folder)
  }

  void look()
  return () => clearInterval(timer)
}

/** The default port of a process without an API. */
const PORT = 4001

/** A small server with the health checks and `/metrics`, for a process that serves nothing else. */
function statusServer(watched: WatchedProcess, token: string | undefined): FastifyInstance {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: false } })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ status: 'not found' }))
  serveHealth(app, watched, token)
  return app
}

/**
 * Listens on the configured port. If several workers share a machine, a worker that finds the default port in use
 * takes a free one.
 */
async function listen(app: FastifyInstance, { port, host }: AppContext['config']['status']): Promise<string> {
  if (port !== undefined) return app.listen({ port, host })
  try {
    return await app.listen({ port: PORT, host })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return app.listen({ port: 0, host })
  }
}

/** The endpoints for devices that upload payloads. */
export const ingestRoutes = (
  ctx: AppContext,
): Handlers<'announcePayloads' | 'uploadPayload' | 'readPayloadStatus'> => ({
  announcePayloads: announcePayloads(ctx),
  uploadPayload: uploadPayload(ctx),
  readPayloadStatus: readPayloadStatus(ctx),
})

/** Route of the message gateway. */
const verificationRoutes = (ctx: AppContext): Handlers<'verify'> => ({
  verify: (context, { body }) => verify(ctx, context, body),
})

export interface Server {
  app: FastifyInstance
  /** Serves the API or the status of this process, and works on jobs, as configured. Resolves to its address. */
  start(): Promise<string>
  countUncaught(kind: string): void
  /** Accepts no new work, finishes running work, and aborts the rest after `seconds`. */
  close(seconds?: number): Promise<void>
}

export interface ServeOptions extends WorkOptions {
  /** True: responses are checked against the contract. */
  strict?: boolean
  /** True: the database has the demo's clients and people already, so a start need not look for them. */
  isSeeded?: boolean
  /** Default: all. */
  features?: readonly Feature[]
}

/** Seconds that requests under way are given. */
const DRAIN = 12

/** Wires every noun to the request wrapper and the job queue. */
export async function startServer(
  ctx: AppContext,
  queue: Queue,
  portalFolder: string,
  { strict = false, isSeeded = false, features = Object.values(FEATURES), hasWorked }: ServeOptions = {},
): Promise<Server> {
  const parts = await getParts(ctx, features)
  const { access, waiting, sessions, authenticateApp } = parts
  const watched = watch(ctx)
  measureWaiting(watched.registry, waiting)
  let isEnding = false
  let stopWatching = () => {}
  let stopSealing = async () => {}
  const app = await buildApp({
    ctx,
    handlers: { ...getHandlers(parts), ...featureHandlers(features, parts) },
    authenticatePortal: sessions.authenticatePortal,
    authenticateDevice: deviceAuthentication(ctx),
    plugins: [mediaRoutes, ...features.flatMap(({ routes }) => routes ?? [])].map((routes) =>
      routes(ctx, {
        access,
        sessionOfRequest: sessions.sessionOfRequest,
        appOfRequest: appOfRequest(authenticateApp, ctx.now),
      }),
    ),
    identityProvider: sessions.identityProvider,
    portalFolder,
    watched,
    isEnding: () => isEnding,
    strict,
    log: ctx.log,
  })
  let status: FastifyInstance | undefined
  const listenAsConfigured = () => {
    if (ctx.socket) return listenOn(app, ctx.socket)
    status = statusServer(watched, ctx.config.metricsToken)
    return listen(status, ctx.config.status)
  }
  return {
    app,
    countUncaught: watched.countUncaught,
    async start() {
      const { services, demo } = ctx.config
      await assertLedgerThere(ctx)
      // Before any request can read destroyed payloads that a restored database contains.
      await replayLedger(ctx)
      // Before a worker destroys by a log that was cut off.
      await checkSealedLogs(ctx)
      if (services.includes('api') && demo && !isSeeded) await seedDemo(ctx)
      const address = await listenAsConfigured()
      if (services.includes('worker')) await queue.work(ctx, JOB_KINDS, { hasWorked })
      stopWatching = watchSpace(ctx)
      stopSealing = startSealing(ctx, services.includes('worker'))
      return address
    },
    async close(seconds = DRAIN) {
      isEnding = true
      waiting.close()
      stopWatching()
      const cut = setTimeout(() => app.server.closeAllConnections(), seconds * 1000)
      await Promise.all([app.close(), status?.close(), queue.stop()])
      await stopSealing()
      clearTimeout(cut)
    },
  }
}

/** What several nouns share. */
interface Parts {
  ctx: AppContext
  features: readonly Feature[]
  readSearchPage: ReadSearchPage
  access: AccessCache
  sets: ReturnType<typeof keySets>
  waiting: ReturnType<typeof waitingDevices>
  sessions: Awaited<ReturnType<typeof makeSessions>>
  authenticateApp: ReturnType<typeof appAuthentication>
}

async function getParts(ctx: AppContext, features: readonly Feature[]): Promise<Parts> {
  const access = new AccessCache(ctx.db)
  const sets = keySets(ctx.egress)
  const authenticateApp = appAuthentication(ctx, access, sets)
  const sessions = await makeSessions(ctx, {
    access,
    loopback: () => `http://${getLoopback(ctx.config.host)}:${ctx.config.port}`,
    otherProviders: (embedded, way) => identityProviders(ctx, embedded, way),
    authenticateApp,
    enterSupportMode: supportMode(ctx, access),
  })
  return {
    ctx,
    features,
    readSearchPage: getSearchPages(features, ctx),
    access,
    sets,
    waiting: waitingDevices(ctx.db),
    sessions,
    authenticateApp,
  }
}

/** The handlers of all calls but those of features. */
const getHandlers = (parts: Parts): Handlers<Exclude<EndpointName, FeatureCall>> => ({
  ...accountHandlers(parts),
  ...deviceHandlers(parts),
  ...archiveHandlers(parts),
  ...retentionHandlers(parts),
  ...providerHandlers(parts),
})

/** People, their rights and the account. */
const accountHandlers = ({ ctx, access, sets, sessions }: Parts) => ({
  ...accountRoutes(ctx),
  ...sessionRoutes(sessions),
  ...peopleRoutes(sessions, { listApproved, findOpenings }),
  ...assignmentRoutes(access),
  ...dashboardRoutes(),
  ...groupRoutes(ctx, access),
  ...roleRoutes(ctx, access),
  ...tagRoutes(ctx, access),
  ...defaultsRoutes(access),
  ...activityRoutes(ctx),
  ...sealedLogRoutes(ctx),
  ...integrityRoutes(ctx),
  ...identityProviderRoutes(ctx, access),
  ...claimMappingRoutes(ctx, access, knownClaims(sessions)),
  ...clientAppRoutes(ctx, access, sets),
})

/** Devices, their users and what they report. */
const deviceHandlers = ({ ctx, waiting, sessions }: Parts) => ({
  ...deviceUserRoutes(ctx),
  ...fleetRoutes(ctx),
  ...commandRoutes(ctx, waiting),
  ...enrolmentRoutes(ctx),
  ...captureRoutes(ctx),
  ...logRoutes(ctx),
  ...gpsRoutes(ctx),
  ...metricRoutes(ctx),
  ...telemetryRoutes(ctx),
  ...deviceRoutes(ctx, deviceParties(ctx, sessions.embedded, sessions.way)),
  ...ingestRoutes(ctx),
  ...verificationRoutes(ctx),
})

/** Payloads, and what is said about them and sent from them. */
const archiveHandlers = ({ ctx, access }: Parts) => ({
  ...payloadReadRoutes(ctx, { getDisposition, getTransferred }),
  ...commentRoutes(ctx),
  ...playheadRoutes,
  ...playRoutes,
  ...alertRoutes(ctx),
  ...internalAlertRoutes(ctx),
  ...transferConfigRoutes(ctx, access),
  ...transferRoutes(ctx),
  ...reconciliationRoutes(ctx),
})

/** Holds, retention, dual control and destruction. */
const retentionHandlers = ({ ctx, access, features }: Parts) => ({
  ...legalHoldRoutes(ctx),
  ...retentionRoutes(ctx),
  ...ruleRoutes(access),
  ...proposalRoutes(
    ctx,
    access,
    {
      ...deferredReleases,
      ...deferredRetention,
      ...deferredReview,
      ...deferredTransfers(access),
      AssignRoles: assigningRoles(access),
      ...Object.assign({}, ...features.map(({ deferred }) => deferred)),
    },
    ({ issuer }) => ({ ChangeIdentityProvider: confirmedChange(ctx, access, issuer) }),
    (q, user_reference, now) => findPerson(q, user_reference, { is_embedded: false, now }),
  ),
  ...executionRoutes,
  ...destructionRoutes(ctx, access),
  ...certificateRoutes(ctx),
  ...receiptRoutes(),
})

/** The provider’s own area. */
const providerHandlers = ({ ctx, access }: Parts) => ({
  ...clientRoutes(ctx),
  ...licenseRoutes(ctx),
  ...migrationRoutes(ctx),
  ...migrationFileRoutes(ctx),
  ...signOffRoutes(),
  ...staffRoutes(ctx),
  ...carrierRoutes(ctx),
  ...statisticsRoutes(ctx),
  ...supportAccessRoutes(ctx, access),
})

/** Fastify passes the socket on to Node. The host must be numeric: for a name Fastify binds further addresses itself. */
function listenOn(app: FastifyInstance, socket: BoundSocket): Promise<string> {
  const options = { handle: socket, host: socket.address().address }
  return app.listen(options)
}

/** Where this machine reaches a server that listens on `host`. */
function getLoopback(host: string): string {
  if (host === '0.0.0.0' || host === 'localhost') return '127.0.0.1'
  return host === '::' ? '[::1]' : hostInUrl(host)
}
