import { randomBytes } from 'node:crypto'
import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { getActions, api, type Endpoint, type EndpointName, fullPath } from '@custodia/contract'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  LogController,
} from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import { alertableUses } from './access/alertable.ts'
import type { AppContext } from './app-context.ts'
import type { WatchedProcess } from './health/metrics.ts'
import { serveHealth } from './health/routes.ts'
import { limitAddresses, type Listener, makeRateLimits, type MountedApp } from './http/admit.ts'
import { bind, type BindOptions } from './http/bind.ts'
import { closeUnlessShort, leaveBodiesUnread, makeBodyMemory } from './http/body.ts'
import type { Handlers } from './http/context.ts'
import { mapOrigins, monitoringOrigins } from './http/monitoring.ts'
import { newId } from './http/new-id.ts'
import { openApi } from './http/openapi.ts'
import { COMMON_HEADERS, PAGE_HEADERS, pagePolicy, servePortal } from './http/portal-files.ts'
import { Problem, problemBody } from './http/problem.ts'
import { parseQueryString } from './http/query-string.ts'
import { RecordedViews } from './http/recorded-views.ts'
import { limitBodyTime, limitSilence, SERVER_TIMES } from './http/time-limits.ts'
import { traceField } from './http/trace-context.ts'
import { toProblem } from './http/translate.ts'
import { traceRequests } from './ports/tracing.ts'
import { displayNames } from './sessions/people.ts'

/** The status for each error code of Node's parser (RFC 9110, RFC 6585). */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/**
 * Answers an invalid HTTP request, or one with an oversized head, like every other problem. The caller is
 * unknown.
 */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = STATUSES[error.code ?? ''] ?? 400
  const body = JSON.stringify({ ...problemBody(new Problem('invalid_input'), newId()), error_code: status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** A page of the API reference without scripts: every call, its permissions and its input. */
function openApiPage(nonce: string): string {
  const rows = (Object.entries(api) as [string, Endpoint][]).map(
    ([name, endpoint]) => `<tr id="${name}">
<td><span class="method">${endpoint.method}</span></td>
<td><code>${escape(fullPath(endpoint))}</code><br><small>${escape(endpoint.summary)}</small></td>
<td>${escape(endpoint.authentication)}</td>
<td>${getActions(endpoint)
      .map((action) => `<code>${escape(action)}</code>`)
      .join(' ')}</td>
<td>${Object.keys(endpoint.query?.def.shape ?? {})
      .map((key) => `<code>${escape(key)}</code>`)
      .join(' ')}</td></tr>`,
  )
  return `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>Custodia API</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style nonce="${nonce}">
:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1200px;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #8884;padding:.5rem;text-align:left;vertical-align:top}
.method{font-weight:600}code{font-size:.92em}</style></head><body><h1>Custodia API</h1>
<p>The machine-readable description is at <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Devices: see docs/protocol.md.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>Caller</th><th>Action</th><th>Query</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></body></html>`
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly HTTPMethods[]

/**
 * Answers known paths with an unknown method: 405 with the known ones in `Allow` (RFC 9110, 15.5.6). Like
 * calls of unknown paths, they concern no client's data and are not audited.
 */
function refuseOtherMethods(app: FastifyInstance, handlers: AppOptions['handlers']): void {
  const served = Object.entries(api).filter(([name]) => name in handlers)
  const places = Map.groupBy(
    served.map(([, endpoint]): Endpoint => endpoint),
    (endpoint) => fullPath(endpoint).replace(/\{(\w+)\}/g, ':$1'),
  )
  for (const [url, endpoints] of places) {
    const known: HTTPMethods[] = endpoints.map(({ method }) => method)
    const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].toSorted().join(', ')
    app.route({
      method: METHODS.filter((method) => !known.includes(method)),
      url,
      handler: (_request, reply) => {
        void reply.header('allow', allow)
        throw new Problem('method_not_allowed')
      },
    })
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    notFoundAnswer(request: FastifyRequest, reply: FastifyReply): FastifyReply
    pageAnswer(request: FastifyRequest, reply: FastifyReply): FastifyReply
  }
}

/** References may be 255 characters, three bytes each when encoded. */
const MAX_PARAM_LENGTH = 4096

export interface AppOptions {
  ctx: AppContext
  /** A call without a handler is not served. */
  handlers: Partial<Handlers<EndpointName>>
  authenticatePortal: BindOptions['authenticatePortal']
  authenticateDevice: BindOptions['authenticateDevice']
  /** Routes that are not JSON calls: media addresses, upload bytes. */
  plugins: readonly ((app: FastifyInstance) => void)[]
  /** The embedded identity provider, when this installation runs it: answers `/oidc/*`. */
  identityProvider?: MountedApp | undefined
  /** What the health checks and `/metrics` answer. */
  watched: WatchedProcess
  /** Whether the process is shutting down: it finishes running requests and accepts no more. */
  isEnding: () => boolean
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
      if (error.code === 'FST_ERR_BAD_URL') app.pageAnswer(request, reply)
      else answer(error, request, reply)
    },
    clientErrorHandler: answerBrokenRequest,
    serverFactory: (handler: Listener) =>
      noteAddresses(
        limitSilence(createServer(SERVER_TIMES, withIdentityProvider(handler, identityProvider))),
      ),
  })
  app.decorate('notFoundAnswer', (request: FastifyRequest, reply: FastifyReply) =>
    answer(new Problem('not_found'), request, reply),
  )
  traceRequests(app)
  beginAnswers(app, options)
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
      authorNames: displayNames(ctx),
      bodyMemory: makeBodyMemory(),
      views: new RecordedViews(),
      strict: options.strict ?? false,
    },
    options.handlers,
  )
  refuseOtherMethods(app, options.handlers)
  await servePortal(app, options.portalFolder, {
    home: ctx.config.homePage,
    monitored: monitoringOrigins(ctx.config),
    mapped: mapOrigins(ctx.config),
  })
  return app
}

/** Sets the headers of every answer, and refuses requests during shutdown. */
function beginAnswers(app: FastifyInstance, { ctx, isEnding }: AppOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(COMMON_HEADERS).header('x-request-id', request.id)
    if (ctx.config.publicUrl.startsWith('https:'))
      void reply.header('strict-transport-security', 'max-age=31536000')
    if (isEnding()) {
      void reply.header('connection', 'close')
      throw new Problem('unavailable', { detail: 'the process ends' })
    }
    assertAddress(request)
  })
}

function withIdentityProvider(handler: Listener, provider: Listener | undefined): Listener {
  if (!provider) return handler
  return (request, response) => (request.url?.startsWith('/oidc/') ? provider : handler)(request, response)
}

/** Answers a failed request, and logs faults of the server. */
function answerer(log: FastifyBaseLogger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = toProblem(error)
    if (problem.code === 'unavailable') log.error({ err: error }, 'requests are answered 503')
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

/**
 * Stores the source address of each connection on accept. Node reads it only on demand, and after a reset by
 * the peer it is gone. A connection without an address is not served.
 */
function noteAddresses(server: Server): Server {
  return server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined) socket.destroy()
  })
}

/**
 * Throws unless the source address is known: permissions and the audit log depend on it. Problem:
 * unavailable.
 */
function assertAddress({ ip }: { readonly ip: string | undefined }): void {
  if (!ip) throw new Problem('unavailable', { detail: 'the source address of the request is not known' })
}

/** Seconds, from a quick list to a long upload. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Measures every request. Labels are route templates and codes, never references. */
function measureRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Histogram({
    name: 'custodia_http_request_duration_seconds',
    help: 'Duration of requests by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
