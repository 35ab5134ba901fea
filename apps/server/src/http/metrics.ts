import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** Prometheus metrics of this process. Labels are route templates and codes, never references. */
export interface Metrics {
  readonly registry: Registry
}

/** Seconds, from a quick list to a long upload. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Measures every request and offers `GET /metrics`, guarded by a bearer token where one is configured. */
export function serveMetrics(app: FastifyInstance, token: string | undefined): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
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
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return reply.callNotFound()
    return reply.type(registry.contentType).send(await registry.metrics())
  })
  return { registry }
}
