import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { EndpointName } from '@custodia/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { alertableUses } from './access/alertable.ts'
import type { Watched } from './health/watched.ts'
import { serveHealth } from './health/routes.ts'
import type { AppContext } from './app-context.ts'
import { bind, type BindOptions } from './http/bind.ts'
import { answerBrokenRequest } from './http/broken-request.ts'
import { closeUnlessShort, leaveBodiesUnread } from './http/body.ts'
import { makeBodyMemory } from './http/body-memory.ts'
import type { Handlers } from './http/context.ts'
import { limitAddresses, type Listener, type MountedApp } from './http/limit-addresses.ts'
import { measureRequests } from './http/metrics.ts'
import { newId } from './http/new-id.ts'
import { openApi } from './http/openapi.ts'
import { openApiPage } from './http/openapi-page.ts'
import { refuseOtherMethods } from './http/other-methods.ts'
import { servePortal } from './http/portal-files.ts'
import { Problem, problemBody } from './http/problem.ts'
import { mapOrigins } from './http/maps.ts'
import { monitoringOrigins } from './http/monitoring.ts'
import { parseQueryString } from './http/query-string.ts'
import { makeRateLimits } from './http/rate-limit.ts'
import { COMMON_HEADERS, PAGE_HEADERS, pagePolicy } from './http/security-headers.ts'
import { assertAddress, noteAddresses } from './http/source-address.ts'
import { limitBodyTime, SERVER_TIMES } from './http/time-limits.ts'
import { traceField } from './http/trace-context.ts'
import { toProblem } from './http/translate.ts'
import { limitRepeats } from './limit-repeats.ts'
import { traceRequests } from './ports/tracing.ts'

declare module 'fastify' {
  interface FastifyInstance {
    notFoundAnswer(request: FastifyRequest, reply: FastifyReply): FastifyReply
  }
}

/** References may be 255 characters, three bytes each when encoded. */
const MAX_PARAM_LENGTH = 4096

export interface AppOptions {
  ctx: AppContext
  handlers: Handlers<EndpointName>
  authenticatePortal: BindOptions['authenticatePortal']
  authenticateDevice: BindOptions['authenticateDevice']
  /** Routes that are not JSON calls: media addresses, upload bytes. */
  plugins: readonly ((app: FastifyInstance) => void)[]
  /** The embedded identity provider, when this installation runs it: answers `/oidc/*`. */
  identityProvider?: MountedApp | undefined
  /** What the health checks and `/metrics` answer. */
  watched: Watched
  /** Whether the process is shutting down: it finishes running requests and accepts no more. */
  isEnding: () => boolean
  /** Folder of the built portal. */
  portalFolder: string
  /** Checks prepared answers too; for tests. */
  strict?: boolean
  log: FastifyBaseLogger
}

/** The HTTP application, ready to listen or to be injected into. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { ctx, log } = options
  const answer = answerer(log)
  const rateLimits = makeRateLimits(ctx.config.rates)
  const identityProvider = options.identityProvider && limitAddresses(options.identityProvider, rateLimits)
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    // The request line may carry secrets (codes, tokens): one line of our own is logged instead.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    requestIdHeader: false,
    // During shutdown the handler below answers with a problem, as for every other failure.
    return503OnClosing: false,
    trustProxy: (_address, hop) => hop < ctx.config.trustProxy,
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      querystringParser: parseQueryString,
      ignoreTrailingSlash: false,
    },
    frameworkErrors: (error, request, reply) => {
      answer(error, request, reply)
    },
    clientErrorHandler: answerBrokenRequest,
    serverFactory: (handler: Listener) =>
      noteAddresses(createServer(SERVER_TIMES, withIdentityProvider(handler, identityProvider))),
  })
  app.decorate('notFoundAnswer', (request: FastifyRequest, reply: FastifyReply) =>
    answer(new Problem('not_found'), request, reply),
  )
  traceRequests(app)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(COMMON_HEADERS).header('x-request-id', request.id)
    if (ctx.config.publicUrl.startsWith('https:'))
      void reply.header('strict-transport-security', 'max-age=31536000')
    if (options.isEnding()) {
      void reply.header('connection', 'close')
      throw new Problem('unavailable', { detail: 'the process ends' })
    }
    assertAddress(request)
  })
  limitBodyTime(app)
  leaveBodiesUnread(app)
  app.addHook('onResponse', async (request, reply) => logRequest(request, reply))
  app.setErrorHandler((error, request, reply) => answer(error, request, reply))
  measureRequests(app, options.watched.registry)
  serveHealth(app, options.watched, ctx.config.metricsToken)
  serveDescription(app, ctx)
  for (const plugin of options.plugins) plugin(app)
  bind(
    app,
    {
      db: ctx.db,
      audit: ctx.audit,
      now: ctx.now,
      authenticatePortal: options.authenticatePortal,
      authenticateDevice: options.authenticateDevice,
      rateLimits,
      noteUse: alertableUses(ctx.db),
      bodyMemory: makeBodyMemory(),
      strict: options.strict ?? false,
    },
    options.handlers,
  )
  refuseOtherMethods(app)
  await servePortal(app, options.portalFolder, {
    home: ctx.config.homePage,
    monitored: monitoringOrigins(ctx.config),
    mapped: mapOrigins(ctx.config),
  })
  return app
}

function withIdentityProvider(handler: Listener, provider: Listener | undefined): Listener {
  if (!provider) return handler
  return (request, response) => (request.url?.startsWith('/oidc/') ? provider : handler)(request, response)
}

/** Answers a failed request, and logs faults of the server. */
function answerer(log: FastifyBaseLogger) {
  // While a part is away every request fails for it: the cause is reported once a minute.
  const reportUnavailable = limitRepeats((error, message, left_out) =>
    log.error({ err: error, left_out }, message),
  )
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error)
    if (problem.code === 'unavailable') reportUnavailable(error, 'requests are answered 503')
    else if (problem.status >= 500)
      log.error(
        { err: error, request_id: request.id, ...traceField(request.headers['traceparent']) },
        'a request failed',
      )
    if (reply.sent || reply.raw.headersSent) return reply
    closeUnlessShort(request, reply)
    const isPassing = problem.code === 'unavailable' || problem.code === 'too_many_requests'
    if (isPassing && !reply.hasHeader('retry-after')) void reply.header('retry-after', '2')
    return reply
      .code(problem.status)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(problemBody(problem, request.id)))
  }
}

/** Route templates and figures only: no path values, no query, no person. */
function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      request_id: request.id,
      ...traceField(request.headers['traceparent']),
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    },
    'request',
  )
}

function serveDescription(app: FastifyInstance, ctx: AppContext): void {
  // It takes a tenth of a second, which a start need not wait for.
  let description: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    description ??= JSON.stringify(openApi(ctx.config.publicUrl))
    return reply.type('application/json; charset=utf-8').send(description)
  })
  app.get('/api', (_request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers(PAGE_HEADERS)
      .header('content-security-policy', pagePolicy(nonce))
      .type('text/html; charset=utf-8')
      .send(openApiPage(nonce))
  })
}
